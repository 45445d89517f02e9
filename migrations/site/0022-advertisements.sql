create table advertiser (
  id int generated always as identity primary key,
  name text not null check (length(name) between 1 and 255),
  sector text not null
);

create table affiliation (
  id int generated always as identity primary key,
  name text not null check (length(name) between 1 and 255),
  web_site text not null
);

create table advertisement (
  id int generated always as identity primary key,
  id_user int not null,
  name text not null check (length(name) between 1 and 255),
  html text not null,
  is_archive boolean not null default false,
  id_advertiser int references advertiser,
  id_affiliation int references affiliation,
  -- Thematics are never deleted.
  ids_thematic int[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- What stands at [[ENCART.<position>]] in the messages of a segment.
create table segment_advertisement (
  id int generated always as identity primary key,
  id_segment int not null references segment on delete cascade,
  position int not null check (position >= 0),
  id_advertisement int not null references advertisement,
  -- Of its own for this place; null: as the advertisement has it when the messages are frozen.
  name text,
  html text,
  unique (id_segment, position)
);

-- A link of an advertisement belongs to the place where it stands: the same address elsewhere is another link.
alter table tracked_link add id_advertisement_in_segment int;
drop index tracked_link_url;
create unique index tracked_link_url on tracked_link
  (id_campaign, origin, coalesce(id_advertisement_in_segment, 0), md5(url));
create index tracked_link_advertisement on tracked_link (id_advertisement) where id_advertisement is not null;
