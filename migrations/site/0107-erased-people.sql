-- == subscribers

-- Addresses of erased people, as hashes, so that no import subscribes them again. There is no date and no id, which
-- would lead from an address to what is kept about its person.
create table erased_address (
  hash bytea primary key
);

-- A random value that goes into the hashes, so that lists of hashed addresses, and other sites, have different ones.
create table erasure_salt (
  is_only boolean primary key default true check (is_only),
  salt uuid not null default gen_random_uuid()
);
insert into erasure_salt default values;

-- Ids of erased people, which are in facts that figures are counted from. Their later hits are stored without the
-- address of the network.
create table erased_subscriber (
  id int primary key
);
