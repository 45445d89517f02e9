-- When a message of the built-in mailbox loses its worth, by its header Expires; null for never.
alter table mailbox_message add column expires_at timestamptz;
