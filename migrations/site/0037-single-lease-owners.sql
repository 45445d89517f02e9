-- The process that holds a message: when it has ended, its lease need not run out.
alter table single_message add lease_owner text;
