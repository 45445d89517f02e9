-- The subscribers that a run of an import added, changed or left as they are. The transaction that writes the rows of
-- the file writes it, so that each is recorded exactly once. Runs from before this table have no rows; old rows are
-- deleted.
create table import_people (
  -- No foreign key: its check would lock the import until the end of a step, and a pause would wait for that.
  id_import int not null,
  run int not null,
  kind text not null check (kind in ('new', 'changed', 'unchanged')),
  -- The ids divided by 65,536. Several steps of a run can have rows of the same part.
  part int not null,
  -- Only ids: after an erasure they name nobody, so that nothing has to be removed here.
  people int4multirange not null
);
create index import_people_page on import_people (id_import, run, kind, part);

-- Subscribers of the merged rows that stayed as they were.
alter table merge_state add column nb_unchanged int not null default 0;
