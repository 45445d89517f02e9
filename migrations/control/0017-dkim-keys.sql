-- A domain has one DKIM key of each algorithm: RSA beside Ed25519, which many receivers cannot verify.
alter table sending_domain drop constraint sending_domain_id_site_domain_key;
alter table sending_domain
  add constraint sending_domain_algorithm unique nulls not distinct (id_site, domain, dkim_algorithm),
  -- Two keys at one selector would be two records at one name.
  add constraint sending_domain_selector unique (id_site, domain, dkim_selector);
