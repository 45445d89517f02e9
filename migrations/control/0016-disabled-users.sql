-- A disabled user's tokens are refused; what he made stays, with his name.
alter table app_user add column is_disabled boolean not null default false;
