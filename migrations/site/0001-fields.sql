create table field (
  id int primary key,
  name text not null check (length(name) between 1 and 255),
  field_type text not null check (field_type in ('Text', 'Integer', 'Date', 'List', 'Boolean')),
  length int check (length between 1 and 10000),
  -- Allowed values of a List field: [{"key": 1, "value": "Paris"}, …].
  list jsonb,
  description text not null default '' check (length(description) <= 500),
  is_visible boolean not null default true,
  is_editable boolean not null default true,
  is_hidden_by_customer boolean not null default false
);

insert into field (id, name, field_type, length, description, is_editable) values
  (0, 'Identifier', 'Integer', null, 'Subscriber identifier', false),
  (1, 'Email', 'Text', 254, 'Email address', true),
  (2, 'First subscription date', 'Date', null, '', false),
  (3, 'Last subscription date', 'Date', null, '', true),
  (4, 'Unsubscription date', 'Date', null, '', true),
  (5, 'First origin', 'Text', 255, 'Where the subscriber first came from', true),
  (6, 'Last origin', 'Text', 255, 'Where the subscriber last came from', true),
  (7, 'Status', 'Integer', null, '0 = subscribed, 1 = unsubscribed', true),
  (8, 'Partner offers', 'Boolean', null, '1 = accepts offers of partners', true),
  (10, 'Partner offers date', 'Date', null, '', true),
  (21, 'First collect mode', 'Text', 255, '', true),
  (22, 'First collect type', 'Text', 255, '', true),
  (37, 'Email domain', 'Text', 254, 'Filled from the email address', false),
  (40, 'Postcode', 'Text', 10, '', true),
  (41, 'Country', 'Text', 2, 'ISO 3166-1 alpha-2', true),
  (42, 'Department', 'Text', 3, 'French department, filled from the postcode', false),
  (43, 'Client identifier', 'Integer', null, 'The customer''s own identifier', true),
  (44, 'Delivery state', 'Integer', null, '0 = fine, 1 = soft-bouncing, 2 = hard-bounced, 3 = complained', true),
  (45, 'Delivery state date', 'Date', null, '', true);

-- One row that counts the changes of the fields, so that a statement on subscribers can tell whether the definitions
-- it was written by still hold (fields/field-set.ts).
create table field_version (version int not null);
insert into field_version values (1);
create trigger field_changed after insert or update or delete on field
  for each statement execute function facteur.count_field_change();
