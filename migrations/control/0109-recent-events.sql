-- Events about mailbox providers in the last hours, in steps of ten minutes: platform/event-counts.ts writes and
-- removes them.
create table recent_event (
  id_site int not null,
  -- The beginning of the step.
  at timestamptz not null,
  id_provider int not null,
  event text not null,
  total bigint not null,
  primary key (id_site, at, id_provider, event)
);
create index recent_event_at on recent_event (at);
