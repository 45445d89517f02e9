-- The keys of hosted pictures in a text: 22 characters before the extension of a picture's address. Letters and digits
-- are spelled out because what a class such as \w holds depends on the collation.
create function picture_keys(content text) returns text[]
language sql immutable strict parallel safe
as $$
  select coalesce(pg_catalog.array_agg(distinct pg_catalog.left(found[1], 22)), '{}')
  from pg_catalog.regexp_matches(content, '[A-Za-z0-9_-]{22}\.(?:png|jpg|gif|webp)', 'g') found
$$;

-- Finds the campaigns that show a picture without reading the contents of all.
create index campaign_picture on campaign using gin (picture_keys(html_content || ' ' || text_content));
