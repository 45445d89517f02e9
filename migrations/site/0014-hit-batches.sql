-- Hits wait to be folded as they were stored: a row for all that one commit brought, not a row each. In a trial
-- with a row of 2 kB a commit of 25 hits took 0.19 ms where it had taken 0.41; what waits is read rarely and soon gone.
create table hit_batch (
  -- The order of storing. No index: folding reads all that waits.
  id bigint generated always as identity,
  -- How many hits.
  size int not null,
  -- By user agent, apart by ASCII's separators: groups by GS (1D), in a group the agent and its hits by FS (1C), hits
  -- by RS (1E); in a hit by spaces: at (milliseconds since 1970), kind, class, sent, subscriber, viral, rules, mobile,
  -- link, address. activity/packed-hits.ts writes it; the view hit_new reads it, three times as fast as JSON.
  hits text not null
) with (
  -- A usual batch stays in its row, as it is: to compress it or to put it elsewhere costs more than storing it.
  toast_tuple_target = 8160,
  -- A queue: what was moved away is cleared at once.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0
);
alter table hit_batch alter hits set storage external;

-- Hits that are not folded go on under the numbers after the last; a hit's number is now that of its batch.
select setval(pg_get_serial_sequence('hit_batch', 'id'), nextval('hit_id_seq'), false);
insert into hit_batch (size, hits)
select count(*), string_agg(
  translate(user_agent, E'\x1c\x1d\x1e', '') || E'\x1c' || format('%s %s %s %s %s %s %s %s %s %s',
    floor(extract(epoch from at) * 1000)::bigint, kind, class, id_sent, id_subscriber, is_viral::int, rules_version,
    is_mobile::int, id_link, host(address)),
  E'\x1d' order by number)
from (select *, row_number() over (order by id) as number from hit_new) h
group by (number - 1) / 1000
order by min(number);

alter table hit detach partition hit_new;
alter table hit detach partition hit_folded;
drop table hit;
drop table hit_new;
alter table hit_folded drop column is_folded;
alter table hit_folded alter id drop default;
do $$
declare
  month regclass;
begin
  for month in select inhrelid::regclass from pg_inherits where inhparent = 'hit_folded'::regclass loop
    execute format('alter table %s alter id drop default', month);
  end loop;
end $$;
drop sequence hit_id_seq;

-- What is not folded yet, hit by hit.
create view hit_new as
select b.id,
  timestamptz 'epoch' + split_part(fact, ' ', 1)::bigint * interval '1 millisecond' as at,
  split_part(fact, ' ', 2)::smallint as kind,
  split_part(fact, ' ', 3)::smallint as class,
  split_part(fact, ' ', 7)::smallint as rules_version,
  split_part(fact, ' ', 8)::boolean as is_mobile,
  split_part(fact, ' ', 4)::int as id_sent,
  split_part(fact, ' ', 5)::int as id_subscriber,
  nullif(split_part(fact, ' ', 9), '')::bigint as id_link,
  split_part(fact, ' ', 6)::boolean as is_viral,
  split_part(of_agent, E'\x1c', 1) as user_agent,
  nullif(split_part(fact, ' ', 10), '')::inet as address
from hit_batch b, string_to_table(b.hits, E'\x1d') of_agent,
  string_to_table(split_part(of_agent, E'\x1c', 2), E'\x1e') fact;

-- All of them: each is in one part or the other at every moment.
create view hit as
select id, at, kind, class, rules_version, is_mobile, id_sent, id_subscriber, id_link, is_viral, user_agent, address
from hit_folded
union all
select id, at, kind, class, rules_version, is_mobile, id_sent, id_subscriber, id_link, is_viral, user_agent, address
from hit_new;
