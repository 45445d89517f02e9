-- Sites that have single messages to hand over (sending/single-message.ts): a hint, by which engines find them.
create table single_message_site (
  id_site int primary key references site on delete cascade
);
