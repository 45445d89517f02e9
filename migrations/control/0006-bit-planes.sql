-- Counting subscribers by bits. Ids are cut into chunks of 32,768 (id >> 15); the count of every id of a chunk is held in
-- bit planes: bit n of plane k is the k-th binary digit (from 1, the lowest) of the count of id n. Planes are added,
-- taken off and compared for all ids at once: a word of the processor holds 64 subscribers.

create function facteur.no_bits() returns bit varying language sql immutable parallel safe
return b'0'::bit(32768);

-- The set of offsets (first argument, 0 to 32,767) of rows, the second argument being 1.
-- Its initial value is 32,768 zeros, which SQL can write in no shorter way.
do $$
begin
  execute format('create aggregate facteur.bits_of(int, int) (sfunc = set_bit, stype = bit, initcond = %L, parallel = safe)',
    repeat('0', 32768));
end $$;

-- The planes of «2 to the power k for each of these».
create function facteur.plane(bits bit varying, k int) returns bit varying[] language sql immutable parallel safe
return array_fill(facteur.no_bits(), array[k]) || bits;

create function facteur.planes_add(total bit varying[], more bit varying[]) returns bit varying[]
language plpgsql immutable parallel safe as $$
declare
  carry bit varying;
  overlap bit varying;
  i int;
begin
  if total is null then return more; end if;
  for p in 1 .. coalesce(cardinality(more), 0) loop
    carry := more[p];
    i := p;
    while bit_count(carry) > 0 loop
      if i > cardinality(total) then
        for gap in cardinality(total) + 1 .. i - 1 loop total[gap] := facteur.no_bits(); end loop;
        total[i] := carry;
        exit;
      end if;
      overlap := total[i] & carry;
      total[i] := total[i] # carry;
      carry := overlap;
      i := i + 1;
    end loop;
  end loop;
  return total;
end $$;

create aggregate facteur.planes_sum(bit varying[]) (sfunc = facteur.planes_add, stype = bit varying[],
  combinefunc = facteur.planes_add, parallel = safe);

-- Takes counts off. A count that would fall below zero is a defect, so nothing goes on.
create function facteur.planes_take(total bit varying[], less bit varying[]) returns bit varying[]
language plpgsql immutable parallel safe as $$
declare
  borrow bit varying;
  lent bit varying;
  i int;
begin
  for p in 1 .. coalesce(cardinality(less), 0) loop
    borrow := less[p];
    i := p;
    while bit_count(borrow) > 0 loop
      if i > coalesce(cardinality(total), 0) then raise exception 'A count of activity falls below zero'; end if;
      lent := ~total[i] & borrow;
      total[i] := total[i] # borrow;
      borrow := lent;
      i := i + 1;
    end loop;
  end loop;
  return total;
end $$;

-- Who has a count of at least n.
create function facteur.planes_reaching(planes bit varying[], n bigint) returns bit varying
language plpgsql immutable parallel safe as $$
declare
  top int := coalesce(cardinality(planes), 0);
  more bit varying := facteur.no_bits();
  same bit varying := ~facteur.no_bits();
begin
  if n <= 0 then return same; end if;
  if n >> top > 0 then return more; end if;
  for i in reverse top .. 1 loop
    if (n >> (i - 1)) & 1 = 1 then
      same := same & planes[i];
    else
      more := more | (same & planes[i]);
      same := same & ~planes[i];
    end if;
  end loop;
  return more | same;
end $$;

-- Who has a count from `lowest` to `highest`; without an upper limit when that is null.
create function facteur.planes_within(planes bit varying[], lowest bigint, highest bigint) returns bit varying
language sql immutable parallel safe
return case when highest is null then facteur.planes_reaching(planes, lowest)
  else facteur.planes_reaching(planes, lowest) & ~facteur.planes_reaching(planes, highest + 1) end;
