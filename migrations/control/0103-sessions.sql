-- Users sign in to the console by address and password. A session acts as its user, with the rights that the user has:
-- a role on each of some sites, or everything on all sites and administration.
alter table app_user add column is_administrator boolean not null default false;

-- Who holds a valid token that may do everything loses nothing by a sign-in that may as well.
update app_user set is_administrator = true
where exists (
  select from token t
  where t.id_user = app_user.id and t.role = 'admin' and t.all_sites and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > now()));

create table user_site (
  id_user int not null references app_user on delete cascade,
  id_site int not null references site on delete cascade,
  role text not null check (role in ('reader', 'editor', 'sender', 'admin')),
  primary key (id_user, id_site)
);

create table session (
  id int generated always as identity primary key,
  id_user int not null references app_user on delete cascade,
  -- SHA-256 of the cookie; the cookie itself is stored nowhere.
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz not null,
  -- Written at most once a minute.
  last_used_at timestamptz not null
);
create index session_id_user on session (id_user);

-- The one link by which a user may choose a new password; a newer one replaces it.
create table password_link (
  id_user int primary key references app_user on delete cascade,
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz not null
);
