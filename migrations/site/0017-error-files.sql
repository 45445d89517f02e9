-- The file of the rows that a run refused is made in the transaction of the merge, on the disk of the service, and put beside the
-- imported file afterwards: whoever is slow there must not hold up the site's other imports.
alter table import_log
  -- Its name in the service's own folder, as long as it is not delivered.
  add errors_file text,
  -- Why it was given up.
  add errors_lost text,
  -- Where the imported file lies; null, of runs of before, for the site's default repository.
  add id_repository int;
