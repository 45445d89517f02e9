create table campaign (
  id int generated always as identity primary key,
  id_user int not null,
  author text not null,
  name text not null check (length(name) between 1 and 255),
  -- The rest of the document's campaign parameters (subject, idConfiguration, mode, type, sendingSpeed, …).
  parameters jsonb not null,
  html_content text not null default '',
  text_content text not null default '',
  preheader text not null default '',
  id_camp_dynamic int,
  auto_host_pictures boolean not null default false,
  auto_host_pictures_id_directory int,
  is_automation boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- campaigns/schedule-state.ts holds the one table of allowed moves.
  schedule_type text not null default 'None' check (schedule_type in ('None', 'Calendar', 'Daily', 'Immediate')),
  schedule_state text not null default 'None' check (schedule_state in
    ('None', 'Programmed', 'InProgress', 'Paused', 'Stopped', 'Finished', 'Missed', 'Error')),
  calendar_dates timestamptz[] not null default '{}'
);
create index campaign_created on campaign (created_at);

create table segment (
  id int generated always as identity primary key,
  id_campaign int not null references campaign on delete cascade,
  position int not null check (position >= 1),
  name text not null check (length(name) between 1 and 255),
  id_target int not null references target,
  is_excluded boolean not null default false,
  is_random boolean not null default false,
  percent int not null check (percent between 0 and 100),
  fixed_values int not null default 0 check (fixed_values >= 0),
  mail_object text,
  last_count int,
  -- Deferred, so that a reordering can renumber all positions in one statement.
  unique (id_campaign, position) deferrable initially deferred
);

create table tracked_link (
  id bigint generated always as identity primary key,
  id_campaign int not null references campaign on delete cascade,
  -- As it stands in the HTML, entities decoded; and without tags.
  url text not null,
  parsed_url text not null,
  -- campaign, configuration or advertisement
  origin text not null,
  id_segment int,
  id_advertisement int,
  is_tracked boolean not null default true,
  -- description, isUnsubscriptionUrl, isMirrorUrl, idDirectory, type, sector, incentive, idThematic
  parameters jsonb not null,
  created_at timestamptz not null
);
create unique index tracked_link_url on tracked_link
  (id_campaign, origin, coalesce(id_advertisement, 0), md5(url));
