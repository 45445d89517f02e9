-- How the provider behind a route reports bounces and complaints by HTTP, and what its requests are proved with.
create table route_webhook (
  id_route int primary key references route(id) on delete cascade,
  provider text not null,
  -- A key, a password or, for Amazon, the topic; encrypted.
  secret bytea not null
);

-- Signed requests that were taken, by SHA-256 of what makes each unique, for as long as their time would pass.
create table webhook_request (
  id_route int not null references route(id) on delete cascade,
  digest bytea not null,
  at timestamptz not null,
  primary key (id_route, digest)
);
create index webhook_request_at on webhook_request (at);
