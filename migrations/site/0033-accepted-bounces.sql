-- Is a relay known to have accepted the message? Who bounced without that counts as sent by his bounce. Entered when
-- the second of the two is recorded, the bounce or the receipt (activity/receipt-store.ts), so that counters need not
-- look for him among the receipts.
alter table bounce add is_accepted boolean not null default false;
-- From each row of receipts to the bounces within it (offset 0 keeps this order); the reverse reads every row of
-- receipts of a sent for each of its bounces.
update bounce set is_accepted = true where id in (
  select b.id
  from receipt_range r cross join lateral (
    select id, id_subscriber
    from bounce
    where id_sent = r.id_sent and id_subscriber between r.first_subscriber and r.last_subscriber
    offset 0) b
  where r.states[array_position(r.subscribers, b.id_subscriber)] = 1);
