-- Messages to one address each that are of no job: those that readers forward to friends.
create table single_message (
  id int generated always as identity primary key,
  id_sent int not null,
  -- Whose message it is; of a forwarded one, who forwarded it.
  id_subscriber int not null,
  -- sending/single-message.ts holds the states.
  state smallint not null,
  created_at timestamptz not null,
  -- The installation's epoch at that time: in a restored database nobody knows whether it has left already.
  epoch text,
  -- Not tried before this. Whoever tries it holds it by lease; the lease's number fences earlier holders.
  next_at timestamptz not null,
  lease_number int not null default 0,
  lease_until timestamptz,
  -- How often it was put off, and the reply code of its last answer.
  deferrals smallint not null default 0,
  code smallint not null default 0,
  ended_at timestamptz
);
-- 10 pending, 11 being handed over.
create index single_message_open on single_message (next_at) where state >= 10;

-- What a reader forwarded, and to whom. Of the friend only a hash stays when it is over.
create table forward (
  id_message int primary key references single_message,
  id_sent int not null,
  id_subscriber int not null,
  friend_hash bytea not null,
  friend text,
  -- Of who forwarded, as he gave it.
  name text,
  language text not null,
  asked_at timestamptz not null,
  -- The class of a report about it (activity/bounce.ts); it says nothing of who forwarded.
  bounce_class smallint,
  unique (id_sent, id_subscriber, friend_hash)
);
create index forward_subscriber on forward (id_subscriber, asked_at);
create index forward_friend on forward (friend_hash, asked_at);

-- Addresses that messages are not forwarded to any more.
create table forward_block (
  friend_hash bytea primary key,
  at timestamptz not null
);
