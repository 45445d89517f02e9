-- One row: a signature made with the installation's secret. A process that was started with another secret finds that
-- out at once, instead of making links that the others refuse and reading passwords that it cannot decrypt.
create table installation (
  is_only boolean primary key default true check (is_only),
  secret_check bytea not null
);
