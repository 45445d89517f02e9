-- Nothing reads how a passkey is connected: the browser knows it.
alter table facteur.passkey drop column transports;
