-- Runs that ended lately, for the list of imports: of all that ever ran, it would read the whole table otherwise.
create index import_log_ended on import_log (ended_at);
