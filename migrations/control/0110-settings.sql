-- From this number of people on, a user of the console types the number to confirm a sending; 0 means never.
alter table site add column typed_confirmation_from int not null default 10000
  check (typed_confirmation_from >= 0);

-- How the console looks for a user, on all of their devices.
alter table app_user
  add column theme text not null default 'auto' check (theme in ('auto', 'light', 'dark')),
  add column density text not null default 'comfortable' check (density in ('comfortable', 'compact'));
