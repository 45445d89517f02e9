-- Messages of a campaign to one subscriber each. The messages of one version
-- of the campaign and one day (Paris) are recipients of one job, which has no audience. A version is a digest of all that
-- its messages are made of.
alter table job
  add single_version text,
  add single_day date;
create unique index job_single on job (id_campaign, single_day, single_version) where single_version is not null;

-- What callers know a message by, and the key by which they repeat a call; keys are forgotten after a day.
alter table single_message
  add guid uuid,
  add idempotency_key text,
  add request_digest text,
  add id_provider int not null default 0;
create unique index single_message_guid on single_message (guid) where guid is not null;
create unique index single_message_key on single_message (idempotency_key) where idempotency_key is not null;
create index single_message_ended on single_message (ended_at) where guid is not null;

-- What such a message has of its own. The attachments are deleted when it has ended, the rest some time later.
create table single_send (
  id_message int primary key references single_message,
  -- Whether subscribers who have unsubscribed get it.
  is_transactional boolean not null,
  -- emailData: names in lower case.
  data jsonb not null,
  -- The prefix of the addresses of tracked links.
  click_tracker text not null default '',
  -- All that it is made of, when that is not what its job was frozen with.
  frozen jsonb,
  attachment_names text[],
  attachment_contents bytea[]
);
alter table single_send alter column attachment_contents set storage external;
