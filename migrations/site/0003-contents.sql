create table directory (
  id int generated always as identity primary key,
  name text not null check (length(name) between 1 and 255),
  is_system boolean not null default false,
  id_parent int references directory,
  dir_type text not null check (dir_type in
    ('Unknown', 'Campaign', 'Filter', 'Pub', 'Image', 'URL', 'Config', 'Link'))
);

-- Which objects carry which tag. `kind` is the object's table.
create table object_directory (
  kind text not null,
  id_object bigint not null,
  id_directory int not null references directory on delete cascade,
  primary key (kind, id_object, id_directory)
);

create table favourite (
  id_user int not null,
  kind text not null,
  id_object bigint not null,
  primary key (id_user, kind, id_object)
);

create table thematic (
  id int generated always as identity primary key,
  id_parent int references thematic,
  name text not null check (length(name) between 1 and 255),
  description text not null default '',
  is_enabled boolean not null default true
);

create table sending_configuration (
  id int generated always as identity primary key,
  id_user int not null,
  author text not null,
  name text not null check (length(name) between 1 and 255),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  sender_email text not null,
  sender_alias text not null default '',
  recipient_alias text not null default '',
  response_email text not null,
  response_alias text not null default '',
  header_html text not null default '',
  header_txt text not null default '',
  footer_html text not null default '',
  footer_txt text not null default '',
  unsub_html text not null default '',
  unsub_txt text not null default '',
  object_prefix_bat text not null default '' check (length(object_prefix_bat) <= 50),
  sender_alias_prefix_bat text not null default '' check (length(sender_alias_prefix_bat) <= 50),
  delete_emails_after int check (delete_emails_after >= 15),
  is_archive boolean not null default false
);
