import { bounceClasses } from './bounce.ts';
import type { BounceRule } from './bounce-evidence.ts';

const { hard, soft, autoReply, dns, spam, complaint } = bounceClasses;

/** A pattern of alternatives, ignoring case. */
const any = (...alternatives: readonly string[]) => new RegExp(alternatives.join('|'), 'i');
const oneOf = (alternatives: string) => `(${alternatives.replaceAll(', ', '|')})`;
/**
 * One of these things, then at most `most` other words, then one of these states; both are lists separated by commas.
 * Bounded, so that a pattern stays linear.
 */
const near = (things: string, most: number, states: string) =>
  `${oneOf(things)}( \\S+){0,${most}} ${oneOf(states)}`;

const rfc3463 = 'RFC 3463 and the IANA registry of enhanced status codes';
const microsoft = 'Microsoft: “Email non-delivery reports and SMTP errors in Exchange Online”';
const french = 'Postmaster pages of Orange (OFR codes) and La Poste (LPN codes)';
const texts = 'Texts of Postfix, Exim, Sendmail, qmail, Domino and Exchange, and postmaster pages';
const filters = `${texts}; Mimecast, Proofpoint, Barracuda`;

const fullMailbox = any(
  near('mailbox, inbox, mail ?folder, mail ?dir, account', 4, '(is |was )?full\\b'),
  '\\bfull mailbox|over ?quota|over( \\S+){1,2} quota',
  `(?<!sending )${near('quota', 2, 'exceeded, violation, reached')}`,
  near('exceed\\w*, reach\\w*', 5, 'quota, storage, mailbox size'),
  'insufficient (disk |system )?(storage|space)|out of storage|not enough (storage|disk)? ?space',
  'mail file size exceeds|(mailbox|inbox) (size )?limit exceeded|user has too many messages',
  near('bo[iî]te', 6, 'pleine, satur[ée]e'),
  `${near('quota', 3, 'dépassé, atteint')}|${near('espace', 3, 'insuffisant')}`,
  near('postfach, mailbox, speicherplatz, speicher, konto', 6, 'voll\\b, überfüllt, erschöpft'),
  near('quota', 3, 'überschritten, superata, esaurita'),
  `${near('casella', 6, 'piena, satura')}|${near('spazio', 3, 'esaurito')}`,
  `${near('buz[oó]n', 6, 'llen[oa]')}|${near('cuota', 4, 'excedida, superada')}`,
  near('excedid[oa]', 3, 'cuota'),
);

const expiredOrTooBig = any(
  'retry time(out)? (exceeded|not reached)|delivery time (expired|exceeded)|message (has |is )?expired',
  'could not be delivered within|(in|on) the queue too long|too long in (the )?queue|not responding',
  'timed? ?out|connection (refused|died|reset|dropped|lost)|no route to host|network (is )?unreachable',
  "(could ?n[o't]+|unable to|cannot) (connect|establish)",
  near('message, mail, e-?mail, mail size, message size', 3, 'too (big|large), exceeds'),
  'too (big|large) for|size limit|maximum (message )?size',
  'hop count|too many hops|(routing|mail|mail forwarding) loop|loops back',
  'délai (de livraison |maximal )?(est )?(dépassé|expiré)|taille (limite|maximale)',
  'zeitüberschreitung|nachricht ist zu gro(ß|ss)',
  `${near('tempo', 3, 'scaduto')}|messaggio (è )?troppo grande`,
  `${near('tiempo', 3, 'agotado, expirado')}|mensaje (es )?demasiado grande`,
);

const temporary = any(
  near('temporar\\w+', 3, 'unavailable, disabled, suspended, deactivated, locked, reject'),
  near('unavailable, disabled, suspended, deactivated, locked', 2, 'temporar'),
  'temporairement|vorübergehend|temporaneamente|temporalmente',
);

const delayOnly = any(
  'delivery attempts will continue|do not need to resend|has not yet been delivered|will (be retried|keep trying)',
  'this is a warning message only|no action is required on your part|still trying to deliver',
  'pas encore été (remis|distribué|livré)|noch nicht zugestellt|non è stato ancora consegnato',
  'aún no se ha (entregado|podido)',
);

/** Words of a server that rejects a recipient because of the sender, the content or a policy. */
const unwanted = any(
  '\\bsenders?\\b|return.?path|\\bmail from\\b|\\bhelo\\b|reverse dns|\\bptr\\b|your (ip|server|domain)',
  'access denied|polic(y|ies)|prohibit|spam|unsolicited|black ?list|block|bloqu|dnsbl|\\brbl\\b|reputation',
  'dmarc|\\bspf\\b|dkim|virus|[ée]metteur|exp[ée]diteur|mail rejet[ée]|(message|mail) refus[ée]',
  'absender|richtlinie|mittente|remitente',
);
/** Words of the same meaning in a whole message, which names the sender for many reasons. */
const unwantedInText = any(
  near(
    'identified, considered, classified, detected, rejected, marked',
    3,
    '(as )?(spam|unsolicited|junk|virus)',
  ),
  'spam (content|filter)|blocked senders?|envelope blocked|black ?listed|blocked (by|using)|dnsbl',
  near('message, mail, e-?mail', 3, '(was |been )?blocked'),
  '(content|security|spam) (policy|policies|reject|block)|als spam (erkannt|eingestuft)',
  near('considéré', 2, 'comme (du |un )?spam'),
);
const relayDenied = any(
  'relay(ing)?\\b.{0,60}(denied|not permitted|not allowed|prohibited)|unable to relay',
  'authenticat|authentification',
);
const tooFast = any(
  '\\brate\\b|too (many|quickly|fast)|limit|gr[ae]y ?list|temporar|try(ing)? again|later|plus tard|später',
);

const noDomain = any(
  '(host|domain)( name)?( is)? (not found|unknown)|nxdomain|no such (domain|host)|unroute?able|null mx',
  '(domain|host) (does ?n.t|does not) exist',
  near('domaine', 3, "inconnu, introuvable, n'existe pas"),
  near('domain', 3, 'existiert nicht, unbekannt'),
  near('dominio', 3, 'inesistente, non esiste, non trovato, no existe, desconocido, inexistente'),
);

const receiver = 'user, mail ?box, inbox, recipient, address, account, alias, e-?mail, local[- ]?part';
const noMailbox = any(
  near(receiver, 5, "unknown, non-?existent, (does ?n[o't]+|do ?n[o't]+|does not|do not|not) exist"),
  near(receiver, 5, 'not (be )?(found|known|recogni[sz]ed|listed|present), (is )?no longer'),
  near(receiver, 5, "could ?n't be found, was ?n't found"),
  `${near('not listed in', 4, 'directory, address book')}|does ?n't have an? \\S+ account`,
  near('\\bno mailbox, \\bno account, \\bno user', 2, 'here, by that name, found'),
  `(unknown|no such|non-?existent|invalid|bad) (virtual )?${oneOf(`${receiver}, person`)}`,
  near('utilisateur', 3, 'inconnu, introuvable, inexistant'),
  near(
    'adresse, destinataire, bo[iî]te, compte',
    7,
    "introuvable, inconnue?, invalide, inexistante?, désactivée?, archiv[ée]e, clôturé, n'existe (pas|plus)",
  ),
  near('adresse, destinataire, bo[iî]te, compte', 7, "n'a pas été trouvée?"),
  near(
    'empfänger, empfängeradresse, adresse, e-mail-adresse, postfach, benutzer, nutzer, konto, teilnehmer',
    7,
    'unbekannt, nicht (gefunden|bekannt|vorhanden), ungültig, existiert nicht, deaktiviert',
  ),
  'unbekannter (empfänger|benutzer|nutzer)|nessun utente',
  near(
    'utente, destinatario, indirizzo, casella',
    7,
    'sconosciut[oa], inesistente, non (è stat[oa] )?trovat[oa], non esiste, non valid[oa], dis(attivat|abilitat)[oa]',
  ),
  near(
    'usuario, destinatario, direcci[oó]n, buz[oó]n, cuenta',
    7,
    'desconocid[oa], inexistente, no (se )?(existe|ha encontrado|encontrad[oa]), no v[aá]lid[oa], deshabilitad[oa]',
  ),
  'no existe (ese|este|dich[oa]) (usuario|buz[oó]n|persona|destinatario)',
);
const closedStates = 'disabled, inactive, deactivated, archived';
const closedMailbox = any(
  near(receiver, 4, `${closedStates}, unavailable, invalid, closed, deleted, terminated`),
  `${oneOf(closedStates)} ${oneOf(receiver)}`,
);

const failureSubject = any(
  '^(undeliver|non-?deliver|deliver\\w* (status notification|fail|incomplete|error)|failed',
  'mail (delivery )?(fail|system error)|mail delivery|failure notice|returned mail|warning: ',
  'message (not|you sent|could not)|non remis|message non remis|échec|unzustellbar|nicht zugestellt|fehler',
  'mancato recapito|non recapitabile|impossibile|no se (puede|pudo) entregar|no entregado|error de entrega)',
);

/** Whether a subject begins as that of a mail system's report, in one of the languages of `bounceTable`. */
export const isFailureSubject = (subject: string): boolean => failureSubject.test(subject.trimStart());

/**
 * Rules for reports and replies to RCPT, the most precise first. The same words mean the same in each of them.
 * A code of RFC 3463 decides where it is precise. Words decide where systems give a code that says too little (5.0.0,
 * 5.5.0) or none. Whenever two readings are possible, the milder one comes first: a wrong hard bounce silences a
 * reader permanently.
 */
export const bounceTable: readonly BounceRule[] = [
  { kind: 'complaint', actions: ['not-spam', 'auth-failure'], is: null, source: 'RFC 5965 7.3, RFC 6591' },
  { kind: 'complaint', is: complaint, source: 'RFC 5965' },
  { kind: 'reply', is: autoReply, source: 'RFC 3834: a person or a program reads the mailbox' },
  {
    kind: 'dsn',
    actions: ['delivered', 'relayed', 'expanded', 'delayed'],
    is: null,
    source: 'RFC 3464 2.3.3',
  },
  {
    kind: 'notice',
    subject: any('^(warning: |delayed|delivery (delayed|status notification \\(delay\\))|retard|verzögert)'),
    is: null,
    source: 'Exim and Sendmail: delay warnings',
  },
  { kind: 'notice', words: delayOnly, is: null, source: 'Exim and Sendmail: delay warnings' },

  { status: ['5.2.2', '4.2.2'], is: soft, ofMailbox: true, source: rfc3463 },
  { words: fullMailbox, is: soft, ofMailbox: true, source: `${texts}; ${french}: 417; RFC 5321: 552` },

  // Microsoft gives these two codes to nonexistent mailboxes; by the registry they are about routing and a null MX.
  { words: any('resolver\\.adr\\.\\w*recip\\w*notfound'), is: hard, ofMailbox: true, source: microsoft },
  {
    status: ['5.4.1'],
    words: any('recipient address rejected: access denied'),
    is: hard,
    ofMailbox: true,
    source: `${microsoft}: directory-based edge blocking`,
  },
  {
    words: any('not in my validrcptto list'),
    is: hard,
    ofMailbox: true,
    source: 'qmail: 5.7.1 by its patch',
  },
  { status: ['5.1.2', '5.4.4', '4.4.4'], is: dns, source: rfc3463 },
  { status: ['5.1.10'], is: dns, source: 'RFC 7505: null MX' },
  { status: ['5.4.310'], is: dns, source: microsoft },
  { status: ['4.'], is: soft, source: rfc3463 },
  { status: ['5.1.7', '5.1.8', '5.7.'], is: spam, source: `${rfc3463}: the sender or a policy` },
  // Expired (5.4.7, 5.4.300, 5.4.316), looping (5.4.6, 5.4.14), refused or without an answer (5.4.1).
  { status: ['5.4.'], is: soft, source: `${rfc3463}: network and routing; ${microsoft}` },
  // Too big (5.2.3, 5.3.4), a list (5.2.4), too fast for the recipient (5.2.121, 5.2.122).
  { status: ['5.2.3', '5.2.4', '5.2.121', '5.2.122'], is: soft, source: `${rfc3463}; ${microsoft}` },
  { status: ['5.3.1', '5.3.2', '5.3.3', '5.3.4', '5.3.5'], is: soft, source: `${rfc3463}: the mail system` },
  {
    words: any('compte du destinataire est bloqu|recipient account is ?blocked'),
    is: soft,
    ofMailbox: true,
    source: `${french}: 426`,
  },
  { words: expiredOrTooBig, is: soft, source: texts },
  { words: temporary, is: soft, source: texts },
  { words: relayDenied, serverReplyOnly: true, is: soft, source: `${texts}: the sending relay` },
  {
    words: unwanted,
    serverReplyOnly: true,
    is: spam,
    source: filters,
  },
  { words: unwantedInText, is: spam, source: filters },
  { words: tooFast, serverReplyOnly: true, is: soft, source: texts },
  { words: noDomain, is: dns, source: `${texts}; RFC 7505` },
  {
    status: ['5.1.0', '5.1.1', '5.1.3', '5.1.6', '5.2.1'],
    is: hard,
    ofMailbox: true,
    source: `${rfc3463}; 5.1.0: Cisco, “Address rejected”`,
  },
  { words: noMailbox, is: hard, ofMailbox: true, source: `${texts}; Yahoo; ${french}: 416` },
  // RFC 5321 gives “mailbox unavailable” to each 550. Outlook.com and GMX write it for nonexistent mailboxes.
  { words: closedMailbox, is: hard, ofMailbox: true, source: `${texts}; ${french}: 420` },

  { kind: 'dsn', is: soft, source: 'RFC 3464: it failed, and the reason is unknown' },
  { kind: 'refusal', is: soft, source: 'RFC 5321 4.2.1: it failed, and the reason is unknown' },
  { kind: 'notice', subject: failureSubject, is: soft, source: 'It failed, and the reason is unknown' },
  { kind: 'notice', is: autoReply, source: 'A mail system wrote, and reports no failure' },
];
