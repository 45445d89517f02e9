-- What the sending engines of several processes share.

-- Token buckets of a job's speed, a route's or a provider's messages per hour: `tokens` at the instant `filled_at`.
create table send_bucket (
  key text primary key,
  tokens double precision not null,
  filled_at timestamptz not null
);

-- Connections that a process may have open on a route. A slot is held for a short time and renewed, so that those of a
-- process that died come free by themselves.
create table connection_slot (
  route text not null,
  number int not null,
  owner text not null,
  held_until timestamptz not null,
  primary key (route, number)
);
