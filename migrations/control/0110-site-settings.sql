-- From this number of people on, a user of the console types the number to confirm a sending; 0 means never.
alter table site add column typed_confirmation_from int not null default 10000
  check (typed_confirmation_from >= 0);
