-- A new type empties a field's values in the archive too, without a look at its rows: by the version of the fields
-- (field_version) at which a subscriber was archived, and the one at which the field was emptied last. Values of a row
-- of before are not shown. Rows of before this migration have lost such values already.
alter table field add emptied_version int not null default 0;
alter table archived_subscriber add fields_version int not null default 0;
