import { Count } from '../platform/http/schema.ts';

/** A count of recipients with such a click; a recipient who clicks twice counts once. */
const clickers = (what: string) => Count(`Recipients with at least one of nb${what}Clicks`);

/** A count of recipients whose message came back in a way. */
const bounced = (what: string) =>
  Count(
    `${what}. Who bounced in several ways is in one: the first of hard, spam, DNS, soft, automatic reply`,
  );

/**
 * The figures of a job record, in the document's order: counters (counters.ts), and the audience. Sendings and
 * campaigns show the same counters, and say the same of them.
 */
export const figures = {
  nbAddressToSend: Count('Recipients of the audience when it was frozen'),
  nbAddressSent: Count(
    'Recipients whose message a relay accepted, and all others with a bounce, an automatic reply or a complaint. ' +
      'These prove that the relay accepted the message or permanently rejected the mailbox',
  ),
  nbClicks: Count(
    'Clicks, each time one: nbEditoClicks + nbAdClicks + nbMirrorClicks + nbUnsubClicks + nbViralClicks. ' +
      'Machines (scanners, bursts) count as well',
  ),
  nbClickers: Count('Recipients with at least one click of any kind'),
  nbAdClicks: Count('Clicks on links of advertisements'),
  nbAdClickers: clickers('Ad'),
  nbEditoClicks: Count('Clicks on links of the campaign, and of its header and footer'),
  nbEditoClickers: clickers('Edito'),
  nbMirrorClicks: Count('Views of the mirror page, and clicks on links marked as such'),
  nbMirrorClickers: clickers('Mirror'),
  nbUnsubClicks: Count(
    'Views of the unsubscribe page, and clicks on links marked as such; nbUnsubs counts the unsubscribed',
  ),
  nbUnsubClickers: clickers('Unsub'),
  nbOpenings: Count(
    'Fetches of the pixel, each time one, by people and machines, and one for each recipient who clicked without ' +
      'any. Those of forward recipients count for the recipient who forwarded it',
  ),
  nbOpeners: Count('Recipients with at least one of nbOpenings'),
  nbHumanOpenings: Count(
    'As nbOpenings, of readers and the picture proxies that act for them: without privacy proxies, scanners and bursts',
  ),
  nbHumanOpeners: Count('Recipients with at least one of nbHumanOpenings'),
  nbUnsubs: Count('Recipients who unsubscribed by this sending, once each'),
  nbTotalBounces: Count(
    'Recipients whose message came back: the sum of the hard, soft, auto-reply, DNS and spam bounces, each ' +
      'recipient in one of them, the gravest',
  ),
  nbHardBounces: bounced('Recipients whose mailbox does not exist, told by the relay at once or later'),
  nbSoftBounces: bounced('Recipients whose mailbox could not take the message for a while'),
  nbAutoRespondersBounces: bounced(
    'Recipients from whom an automatic reply came; their message is delivered',
  ),
  nbDnsErrorsBounces: bounced('Recipients whose domain has no mail server that is found'),
  nbSpamBounces: bounced('Recipients whose provider refused the message as unwanted'),
  nbSpamComplaints: Count('Recipients who called the message unwanted themselves; no bounce'),
};
