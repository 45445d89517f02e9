-- Connections to a provider are slots like those of a route (connection_slot, route `provider:<id>`). Unlike a route's,
-- which one process may have all to itself, they are shared by whoever has messages for the provider: each says so here.
create table slot_demand (
  route text not null,
  owner text not null,
  until timestamptz not null,
  primary key (route, owner)
);
