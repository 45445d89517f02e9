-- What a site pays for its messages; a site without a row has no invoices.
create table price (
  id_site int primary key references site(id) on delete cascade,
  -- ISO 4217.
  currency text not null,
  payment_days int not null,
  -- [{"from": 0, "perThousand": 0.8}, …]: what a thousand messages cost from that message of the month on.
  steps jsonb not null,
  -- The first month that is invoiced: the one in which the site first had prices.
  first_month date not null
);

-- One for each month of Paris time that is over. The figures never change; prices of later months do.
create table invoice (
  id int primary key generated always as identity,
  id_site int not null references site(id) on delete cascade,
  month date not null,
  nb_messages bigint not null,
  -- In hundredths of the currency.
  amount bigint not null,
  currency text not null,
  issued_at timestamptz not null,
  due_at timestamptz not null,
  is_paid boolean not null default false,
  unique (id_site, month)
);
