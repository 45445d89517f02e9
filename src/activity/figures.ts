import { Count } from '../platform/http/schema.ts';

/** A count of recipients with such a click; repeated clicks count once. */
const clickers = (what: string) => Count(`Recipients with at least one of nb${what}Clicks`);

/** A count of recipients whose message came back in this way. */
const bounced = (what: string) =>
  Count(
    `${what}. A recipient with several kinds counts in one: the first of hard, spam, DNS, soft, automatic reply`,
  );

/**
 * The figures of a job record, in the API document's order: counters (counters.ts), and the audience. Sendings and
 * campaigns have the same counters with the same descriptions.
 */
export const figures = {
  nbAddressToSend: Count('Recipients of the audience when it was frozen'),
  nbAddressSent: Count(
    'Recipients whose message a relay accepted, and all others with a bounce, an automatic reply or a complaint. ' +
      'These prove that the relay accepted the message or permanently rejected the mailbox',
  ),
  nbClicks: Count(
    'All clicks, repeats included: nbEditoClicks + nbAdClicks + nbMirrorClicks + nbUnsubClicks + nbViralClicks. ' +
      'Machines (scanners, bursts) count too',
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
    'Fetches of the pixel, repeated ones included, by people and machines, and one for each recipient who clicked ' +
      'without any. Opens of forward recipients count for the recipient who forwarded the message',
  ),
  nbOpeners: Count('Recipients with at least one of nbOpenings'),
  nbHumanOpenings: Count(
    'As nbOpenings, by readers and their picture proxies only: without privacy proxies, scanners and bursts',
  ),
  nbHumanOpeners: Count('Recipients with at least one of nbHumanOpenings'),
  nbUnsubs: Count('Recipients who unsubscribed by this sending, once each'),
  nbTotalBounces: Count(
    'Recipients whose message came back: the sum of the hard, soft, auto-reply, DNS and spam bounces, each ' +
      'recipient in one of them, the gravest',
  ),
  nbHardBounces: bounced(
    'Recipients whose mailbox does not exist, as reported by the relay at once or later',
  ),
  nbSoftBounces: bounced('Recipients whose mailbox could not accept the message temporarily'),
  nbAutoRespondersBounces: bounced('Recipients who sent an automatic reply; their message is delivered'),
  nbDnsErrorsBounces: bounced('Recipients whose domain has no mail server'),
  nbSpamBounces: bounced('Recipients whose provider refused the message as unwanted'),
  nbSpamComplaints: Count('Recipients who reported the message as unwanted; not a bounce'),
};

/** Counters that job records do not have. */
export const moreFigures = {
  nbHumanClickers: Count(
    'Recipients with at least one click of any kind by a person: without scanners and bursts',
  ),
  nbViralClicks: Count('Clicks through forwarded messages; they are in no other kind of clicks'),
  nbViralClickers: Count('Recipients with at least one click through a message that they forwarded'),
  nbDelivered: Count('nbAddressSent, less hard, soft, DNS and spam bounces'),
};

/** Properties in alphabetical order, in which the API document lists the figures of most records. */
export function byName<T extends object>(properties: T): T {
  const nameOf = ([name]: [string, unknown]) => name.toLowerCase();
  const sorted = Object.entries(properties).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return Object.fromEntries(sorted) as T;
}
