-- Tells a database that was restored or cloned from the one that this installation has sent with
-- (platform/installation/check-installation.ts).

-- Periods of the installation's life, the newest at work. `mark` rises while mail leaves and is written to the data
-- directory afterwards, so a database that knows less than a data directory is older than what has left.
create table installation_epoch (
  number int generated always as identity primary key,
  id uuid not null unique,
  began_at timestamptz not null,
  mark bigint not null default 0,
  -- The server's and the database's own numbers, which a dump does not carry.
  server text not null,
  -- Of the data directory that holds the embedded database; null with a server of one's own.
  data_dir uuid
);

-- Why nothing is sent until an operator has looked; null when nothing is in the way.
alter table installation add column held_why text;
alter table installation add column held_since timestamptz;
