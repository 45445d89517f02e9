-- Sites, people, tokens and where mail leaves: what belongs to the installation, not to one site.

create table site (
  id int generated always as identity primary key,
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{1,30}$'),
  schema_name text not null unique,
  created_at timestamptz not null
);

-- Which migrations each site's schema has had.
create table site_migration (
  id_site int not null references site on delete cascade,
  name text not null,
  applied_at timestamptz not null default now(),
  primary key (id_site, name)
);

create table app_user (
  id int generated always as identity primary key,
  name text not null check (length(name) between 1 and 255),
  email text not null,
  password_hash text,
  created_at timestamptz not null
);
create unique index app_user_email on app_user (lower(email));

create table token (
  id int generated always as identity primary key,
  id_user int not null references app_user on delete cascade,
  -- SHA-256 of the token; the token itself is shown once and kept nowhere.
  hash bytea not null unique check (length(hash) = 32),
  label text not null default '',
  role text not null check (role in ('reader', 'editor', 'sender', 'admin')),
  all_sites boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

create table token_site (
  id_token int not null references token on delete cascade,
  id_site int not null references site on delete cascade,
  primary key (id_token, id_site)
);

-- The account of each site on the embedded SFTP server; its password is encrypted with the installation's secret.
create table sftp_account (
  id_site int primary key references site on delete cascade,
  login text not null unique,
  password bytea not null,
  public_keys text[] not null default '{}'
);

-- SMTP relays. A site without one uses FACTEUR_SMTP_URL, and without that the built-in mailbox.
create table route (
  id int generated always as identity primary key,
  id_site int not null references site on delete cascade,
  position int not null default 1,
  host text not null,
  port int not null check (port between 1 and 65535),
  tls text not null check (tls in ('none', 'starttls', 'tls')),
  username text,
  password bytea,
  max_connections int not null default 10 check (max_connections between 1 and 200),
  messages_per_hour int not null default 0 check (messages_per_hour >= 0)
);
create index route_site on route (id_site, position);

-- Domains that sites send from, with the DKIM keys that sign for them (private keys encrypted).
create table sending_domain (
  id int generated always as identity primary key,
  id_site int not null references site on delete cascade,
  domain text not null,
  dkim_selector text,
  dkim_algorithm text check (dkim_algorithm in ('rsa-sha256', 'ed25519-sha256')),
  dkim_private_key bytea,
  unique (id_site, domain)
);

-- Mailbox providers and the domains that belong to them; a domain that is not listed is a provider of its own kind, 0.
create table provider (
  id int primary key,
  name text not null unique,
  max_connections int not null default 0,
  messages_per_hour int not null default 0
);
create table provider_domain (
  domain text primary key,
  id_provider int not null references provider on delete cascade
);

-- Jobs that have recipients left to send to, over all sites: what the sending engine looks at. A row is only a
-- hint; the truth is the site's own tables.
create table sending_job (
  id_site int not null references site on delete cascade,
  id_job int not null,
  primary key (id_site, id_job)
);

-- The built-in mailbox: what was sent while no relay is configured.
create table mailbox_message (
  id bigint generated always as identity primary key,
  received_at timestamptz not null,
  mail_from text not null,
  rcpt_to text not null,
  subject text not null,
  raw bytea not null
);
create index mailbox_message_rcpt on mailbox_message (lower(rcpt_to));
create index mailbox_message_received on mailbox_message (received_at);
