-- The mailbox providers that a campaign in France and its neighbours meets most, with their own domains. An
-- installation adds to these tables; domains hosted by a provider under a customer's name are found by MX rules later.

insert into provider (id, name) values
  (1, 'Gmail'), (2, 'Microsoft'), (3, 'Yahoo'), (4, 'Apple'), (5, 'Orange'), (6, 'Free'), (7, 'SFR'),
  (8, 'La Poste'), (9, 'Bouygues Telecom'), (10, 'GMX'), (11, 'WEB.DE'), (12, 'T-Online'), (13, 'Proximus'),
  (14, 'Telenet'), (15, 'Bluewin'), (16, 'Proton'), (17, 'Libero'), (18, 'Numericable'), (19, 'OVHcloud'),
  (20, 'Mail.ru');

insert into provider_domain (domain, id_provider) values
  ('gmail.com', 1), ('googlemail.com', 1),
  ('outlook.com', 2), ('outlook.fr', 2), ('outlook.be', 2), ('outlook.de', 2), ('hotmail.com', 2),
  ('hotmail.fr', 2), ('hotmail.be', 2), ('hotmail.de', 2), ('hotmail.ch', 2), ('hotmail.it', 2),
  ('hotmail.es', 2), ('hotmail.co.uk', 2), ('live.com', 2), ('live.fr', 2), ('live.be', 2), ('msn.com', 2),
  ('yahoo.com', 3), ('yahoo.fr', 3), ('yahoo.be', 3), ('yahoo.de', 3), ('yahoo.es', 3), ('yahoo.it', 3),
  ('yahoo.co.uk', 3), ('ymail.com', 3), ('rocketmail.com', 3), ('aol.com', 3), ('aol.fr', 3),
  ('icloud.com', 4), ('me.com', 4), ('mac.com', 4),
  ('orange.fr', 5), ('wanadoo.fr', 5), ('voila.fr', 5),
  ('free.fr', 6), ('aliceadsl.fr', 6), ('libertysurf.fr', 6),
  ('sfr.fr', 7), ('neuf.fr', 7), ('cegetel.net', 7), ('club-internet.fr', 7), ('9online.fr', 7),
  ('laposte.net', 8),
  ('bbox.fr', 9),
  ('gmx.fr', 10), ('gmx.com', 10), ('gmx.net', 10), ('gmx.de', 10), ('gmx.ch', 10), ('gmx.at', 10), ('caramail.com', 10),
  ('web.de', 11),
  ('t-online.de', 12),
  ('skynet.be', 13), ('proximus.be', 13),
  ('telenet.be', 14),
  ('bluewin.ch', 15),
  ('proton.me', 16), ('protonmail.com', 16), ('pm.me', 16),
  ('libero.it', 17),
  ('numericable.fr', 18), ('noos.fr', 18),
  ('ovh.fr', 19),
  ('mail.ru', 20), ('bk.ru', 20), ('inbox.ru', 20), ('list.ru', 20);
