-- The look-up indexes by hash of the email cost half of the time of an import, and few sites look up by hash. The first
-- look-up by a hash has its index built again (src/subscribers/hash-index.ts); until then it reads the whole table.
drop index if exists subscriber_email_md5;
drop index if exists subscriber_email_sha1;
drop index if exists subscriber_email_sha256;
drop index if exists subscriber_email_sha512;
