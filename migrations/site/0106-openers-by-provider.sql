-- People who opened a message, by the day and the provider of their receipt.
alter table provider_day add nb_human_openers int not null default 0;

-- A task adds the receipts of a year again, with the people who opened.
delete from provider_day;
update receipt_range set is_counted = false where is_counted and first_at > now() - interval '367 days';
update bounce set is_counted = false where is_counted and at > now() - interval '367 days';
