create table target (
  id int generated always as identity primary key,
  id_user int not null,
  author text not null,
  name text not null check (length(name) between 1 and 255),
  is_test_target boolean not null default false,
  pct_select int not null default 100 check (pct_select between 0 and 100),
  max_select int check (max_select >= 0),
  is_random_mode boolean not null default false,
  excluded_targets int[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  is_archived boolean not null default false,
  -- A deleted target keeps its row, because segments of past campaigns refer to it.
  deleted_at timestamptz
);

create table target_filter (
  id_target int not null references target on delete cascade,
  -- field, behaviour, thematic, sending, emailPressure, geolocation, sql, file
  kind text not null,
  is_enabled boolean not null,
  -- The filter as the API takes it, less idTarget and the enabled flag.
  definition jsonb not null,
  primary key (id_target, kind)
);
