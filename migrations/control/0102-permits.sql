-- Connections to a route or a provider are permits: the word “slot” is retired. `key` names the limit, for example
-- `route:7` or `provider:3`. The permits of messages per hour are tokens in `send_bucket`.
alter table connection_slot rename to connection_permit;
alter table connection_permit rename column route to key;
alter table connection_permit rename constraint connection_slot_pkey to connection_permit_pkey;

alter table slot_demand rename to permit_demand;
alter table permit_demand rename column route to key;
alter table permit_demand rename constraint slot_demand_pkey to permit_demand_pkey;
