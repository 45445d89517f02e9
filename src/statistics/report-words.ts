import { bounceClasses } from '../activity/bounce.ts';

/** The words of a report in one language. */
export interface ReportWords {
  readonly locale: string;
  readonly report: string;
  readonly sent: string;
  readonly made: string;
  readonly until: string;
  readonly withMpp: string;
  readonly withoutMpp: string;
  readonly other: string;
  readonly funnel: string;
  readonly figure: string;
  readonly number: string;
  readonly share: string;
  readonly toSend: string;
  readonly accepted: string;
  readonly delivered: string;
  readonly openers: string;
  readonly clickers: string;
  readonly humanClickers: string;
  readonly unsubs: string;
  readonly complaints: string;
  readonly overTime: string;
  readonly hours: string;
  readonly days: string;
  readonly day: string;
  readonly openings: string;
  readonly clicks: string;
  readonly providers: string;
  readonly provider: string;
  readonly others: string;
  readonly links: string;
  readonly link: string;
  readonly clickMap: string;
  readonly clickMapText: string;
  readonly bounces: string;
  readonly returned: string;
  readonly reason: string;
  readonly code: string;
  readonly none: string;
  readonly mppText: string;
  readonly gone: string;
  readonly goneText: string;
  readonly classes: Readonly<Record<number, string>>;
}

const { hard, soft, autoReply, dns, spam, complaint } = bounceClasses;

export const reportWords: Readonly<Record<'en' | 'fr', ReportWords>> = {
  en: {
    locale: 'en-GB',
    report: 'Report',
    sent: 'Sent',
    made: 'Figures of',
    until: 'Readable until',
    withMpp: 'With opens by mail privacy protection',
    withoutMpp: 'Without opens by mail privacy protection',
    other: 'Français',
    funnel: 'From recipients to clickers',
    figure: 'Figure',
    number: 'Number',
    share: 'Share of sent',
    toSend: 'Recipients',
    accepted: 'Sent',
    delivered: 'Delivered',
    openers: 'Opened',
    clickers: 'Clicked',
    humanClickers: 'Clicked, without machines',
    unsubs: 'Unsubscribed',
    complaints: 'Complained',
    overTime: 'Over time',
    hours: 'The first 48 hours, by hour',
    days: 'By day',
    day: 'Day',
    openings: 'Opens',
    clicks: 'Clicks',
    providers: 'Providers',
    provider: 'Provider',
    others: 'Others',
    links: 'Links',
    link: 'Link',
    clickMap: 'Click map',
    clickMapText:
      'The message, with the share of clickers of each link. Pictures of other hosts are not loaded.',
    bounces: 'Bounces by reason',
    returned: 'Bounces',
    reason: 'Reason',
    code: 'Status code',
    none: 'Nothing so far.',
    mppText: 'Mail privacy protection fetches the pictures of messages whether or not somebody reads them.',
    gone: 'Report not found',
    goneText: 'The address is not complete, or the report has expired. Ask for a new one.',
    classes: {
      [hard]: 'The address does not work',
      [soft]: 'Not delivered this time',
      [autoReply]: 'Automatic reply',
      [dns]: 'The domain has no mail server',
      [spam]: 'Rejected as unwanted',
      [complaint]: 'Complaint of a reader',
    },
  },
  fr: {
    locale: 'fr-FR',
    report: 'Rapport',
    sent: 'Envoyé',
    made: 'Chiffres du',
    until: 'Lisible jusqu’au',
    withMpp: 'Avec les ouvertures de la protection de la confidentialité',
    withoutMpp: 'Sans les ouvertures de la protection de la confidentialité',
    other: 'English',
    funnel: 'Des destinataires aux cliqueurs',
    figure: 'Chiffre',
    number: 'Nombre',
    share: 'Part des envoyés',
    toSend: 'Destinataires',
    accepted: 'Envoyés',
    delivered: 'Délivrés',
    openers: 'Ouvreurs',
    clickers: 'Cliqueurs',
    humanClickers: 'Cliqueurs, sans les machines',
    unsubs: 'Désinscriptions',
    complaints: 'Plaintes',
    overTime: 'Dans le temps',
    hours: 'Les 48 premières heures, heure par heure',
    days: 'Par jour',
    day: 'Jour',
    openings: 'Ouvertures',
    clicks: 'Clics',
    providers: 'Fournisseurs',
    provider: 'Fournisseur',
    others: 'Autres',
    links: 'Liens',
    link: 'Lien',
    clickMap: 'Carte des clics',
    clickMapText:
      'Le message, avec la part des cliqueurs de chaque lien. Les images d’autres serveurs ne sont pas chargées.',
    bounces: 'Retours par motif',
    returned: 'Retours',
    reason: 'Motif',
    code: 'Code d’état',
    none: 'Rien pour le moment.',
    mppText: 'La protection de la confidentialité charge les images des messages, qu’ils soient lus ou non.',
    gone: 'Rapport introuvable',
    goneText: 'L’adresse n’est pas complète, ou le rapport a expiré. Demandez-en un nouveau.',
    classes: {
      [hard]: 'L’adresse ne fonctionne pas',
      [soft]: 'Non délivré cette fois',
      [autoReply]: 'Réponse automatique',
      [dns]: 'Le domaine n’a pas de serveur de messagerie',
      [spam]: 'Refusé comme indésirable',
      [complaint]: 'Plainte d’une personne',
    },
  },
};
