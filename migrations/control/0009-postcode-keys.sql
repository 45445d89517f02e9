-- Postcodes are kept as they were written («75 001», «sw1a 1aa»), and compared without blanks and in capitals. The blanks are
-- those that people and their programs write: space, tab, no-break (also narrow), figure and thin space.
create function facteur.postcode_key(text) returns text immutable strict parallel safe language sql
  as $$ select upper(translate($1, E' \t\u00a0\u202f\u2007\u2009', '')) $$;

-- The department of five digits: the first two, three overseas, 2A and 2B in Corsica.
create function facteur.department_of_digits(key text) returns text immutable parallel safe language sql
  as $$ select case
    when key !~ '^[0-9]{5}$' then null
    when key ~ '^20[01]' then '2A'
    when key ~ '^20[26]' then '2B'
    when key ~ '^9[78][1-8]' then left(key, 3)
    when key ~ '^(00|20|9[6-9])' then null
    else left(key, 2) end $$;

-- The French department of a postcode, also of one written with blanks. A postcode of another country has none; a subscriber
-- without a country is taken for a French one. Of a value that has five bytes there is nothing to take out.
create or replace function facteur.french_department(postcode text, country text) returns text immutable parallel safe language sql
  as $$ select case
    when coalesce(country, 'FR') not in
      ('FR', 'GP', 'MQ', 'GF', 'RE', 'PM', 'YT', 'BL', 'MF', 'TF', 'WF', 'PF', 'NC') then null
    when octet_length(postcode) > 5 then facteur.department_of_digits(facteur.postcode_key(postcode))
    else facteur.department_of_digits(postcode) end $$;
