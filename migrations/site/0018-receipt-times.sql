-- Filters by hours look the receipts of parts of days up by their time: without this they read every range of all time.
create index receipt_range_first on receipt_range (first_at);
