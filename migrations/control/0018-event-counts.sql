-- How often something happened, over all processes and lives, for the metrics: mail by provider, hits, imports, exports.
create table event_count (
  id_site int not null,
  event text not null,
  -- The provider of an email address; 0 for a domain of no listed provider, and for other events.
  id_provider int not null default 0,
  total bigint not null,
  primary key (id_site, event, id_provider)
) with (fillfactor = 50);

-- Processes add what they counted some seconds apart, under rising numbers: a flush that is repeated because its commit
-- was lost from sight adds nothing.
create table event_flush (
  process text primary key,
  number int not null,
  at timestamptz not null default clock_timestamp()
);

-- Whether relays accept connections, as each process that sends sees it.
create table relay_state (
  relay text not null,
  process text not null,
  is_up boolean not null,
  at timestamptz not null,
  primary key (relay, process)
);
