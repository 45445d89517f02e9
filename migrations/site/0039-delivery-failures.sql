-- What the relay replied about recipients whose message was refused or expired, where it is no bounce: those are in
-- their own table with the reply.
create table delivery_failure (
  id_sent int not null,
  id_subscriber int not null,
  -- Enhanced status code, '' when there is none.
  status text not null,
  reply text not null,
  primary key (id_sent, id_subscriber)
);
