-- What lists say of many targets and imports at once, beside the definition (up to 8 MB) and the parameters (up to 5 MB)
-- that would be read for it.

-- Whether the filter by itself selects subscribed people only.
alter table target_filter add is_safe boolean not null generated always as (
  is_enabled and kind = 'field'
  and definition @> '{"filters": [{"idField": 7, "operator": "Equal", "value": "0"}]}') stored;

alter table import add filename text generated always as (parameters ->> 'filename') stored;
