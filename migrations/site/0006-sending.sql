-- A job is one generation run of a campaign; a sending is a segment as sent; a sent is one sending within one job.
create table job (
  id int generated always as identity primary key,
  id_campaign int not null references campaign,
  is_test boolean not null,
  -- A test mailing on one segment only.
  id_segment int,
  -- sending/job.ts holds the one table of allowed moves.
  state text not null check (state in
    ('Programmed', 'Generating', 'Sending', 'Paused', 'Stopped', 'Finished', 'FinishedWithErrors', 'Error')),
  author text not null,
  campaign_name text not null,
  subject text not null,
  sender_domain text not null default '',
  created_at timestamptz not null,
  -- When it is to start, and did.
  scheduled_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  error_info text,
  nb_segments int not null default 0,
  nb_links int not null default 0,
  nb_pub_insert int not null default 0,
  -- Everything that the messages are made of, frozen when the job is generated (sending/frozen-message.ts).
  frozen jsonb
);
create index job_campaign on job (id_campaign);
create index job_scheduled on job (scheduled_at);
-- A campaign runs once at a time: of two calls at once, one is refused here.
create unique index job_running on job (id_campaign)
  where not is_test and state in ('Programmed', 'Generating', 'Sending', 'Paused');

create table sending (
  id int generated always as identity primary key,
  id_campaign int not null references campaign,
  id_segment int not null,
  position int not null,
  name text not null,
  unique (id_campaign, id_segment)
);

create table sent (
  id int generated always as identity primary key,
  id_job int not null references job,
  id_sending int not null references sending,
  position int not null,
  segment_name text not null,
  id_target int not null,
  filter_name text not null,
  parameters jsonb not null,
  started_at timestamptz,
  ended_at timestamptz,
  nb_address_to_send int not null default 0
);
create index sent_job on sent (id_job);

-- The frozen audience: at most 1,000 subscribers a range. A worker holds a range by lease; `epoch` fences it.
create table recipient_range (
  id_job int not null references job on delete cascade,
  number int not null,
  id_sent int not null,
  subscribers int[] not null,
  -- open: has recipients without a final state; done: compacted into receipts.
  is_done boolean not null default false,
  lease_owner text,
  lease_epoch int not null default 0,
  lease_until timestamptz,
  -- Number of the holder's last group commit: it finds out here whether one whose answer was lost had happened.
  last_commit int not null default 0,
  -- A range whose recipients all wait for a retry is not looked at before this.
  not_before timestamptz,
  -- Written when the range is done.
  nb_accepted int not null default 0,
  nb_refused int not null default 0,
  nb_expired int not null default 0,
  nb_uncertain int not null default 0,
  nb_cancelled int not null default 0,
  primary key (id_job, number)
  -- Each group commit writes the row anew: with room beside it no index is touched, and with the list of subscribers
  -- out of line some 100 bytes are written instead of thousands (bench/send: 3,040 messages/s instead of 1,470).
) with (fillfactor = 60);
alter table recipient_range alter column subscribers set storage external;
create index recipient_range_open on recipient_range (id_job, number) where not is_done;

-- Append-only: one row a range and group commit. Intents are written before a message's final dot leaves, outcomes after
-- the answer. Codes are SMTP reply codes; states: sending/engine/range-memory.ts. Rows go when their range is done.
create table send_log (
  id bigint generated always as identity primary key,
  id_job int not null,
  range_number int not null,
  epoch int not null,
  at timestamptz not null,
  intents int[] not null,
  outcomes int[] not null,
  states smallint[] not null,
  codes smallint[] not null
);
create index send_log_range on send_log (id_job, range_number);
