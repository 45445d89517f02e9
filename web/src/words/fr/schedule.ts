import type { schedule as english } from '../en/schedule.ts';

/** Les textes des dates à venir : des campagnes et des imports de chaque nuit. */
export const schedule: typeof english = {
  day: 'Jour',
  time: 'Heure de Paris',
  from: 'À partir du',
  interval: 'Tous les combien de jours',
  until: 'Jusqu’au',
  untilText: 'Sans cette date, il n’y a pas de fin.',
  noTime: 'Choisissez une heure.',
  noInterval: 'Saisissez un nombre de jours de 1 à 999.',
  noFrom: 'Choisissez le premier jour.',
  noUntil: 'Choisissez le dernier jour, ou retirez-le.',
  endsBefore: 'Le dernier jour ne peut pas précéder le premier.',
  noneLeft: 'Aucune date ne reste avant le dernier jour.',
  isPast: 'Cette heure est passée.',
  isTwice: 'Cette date figure deux fois.',
  inBothZones: (paris, own) => `${paris} à Paris, ${own} pour vous`,
  skipped: (time, day, instead) =>
    `${time} n’existe pas le ${day} : les horloges avancent. L’envoi commence à ${instead}.`,
  twice: (time, day) => `${time} existe deux fois le ${day} : les horloges reculent.`,
  which: 'Laquelle',
  first: 'La première (heure d’été)',
  second: 'La seconde (heure d’hiver)',
  clocks: (time) =>
    `La nuit où les horloges avancent, ${time} n’existe pas : départ à 03:00. La nuit où elles reculent, ${time} existe deux fois : départ à la première.`,
  everyDays: (days, time) => (days === 1 ? `chaque jour à ${time}` : `tous les ${days} jours à ${time}`),
  untilDay: (rule, day) => `${rule} jusqu’au ${day}`,
  follows: (rule) => `Puis ${rule}.`,
  coming: 'Prochaines dates',
  andMore: (count) => `et ${count} de plus`,
  andSoOn: 'et ainsi de suite',
  ways: { label: 'Quand l’envoyer', now: 'Maintenant', dates: 'À des dates', daily: 'Tous les n jours' },
  date: (number) => `Date ${number}`,
  add: 'Ajouter une date',
  removeDate: (date) => `Retirer la date ${date}`,
  nowText: (delay) => `L’envoi commence ${delay} après confirmation.`,
  isPlanned: 'Elle attend une date. Pour l’envoyer maintenant, retirez d’abord sa planification.',
  textOfMany: (first, count, isTwo) =>
    `L’envoi commence le ${first}, puis à ${isTwo ? 'une autre date' : `${count} autres dates`} (heure de Paris), chaque fois avec le contenu d’alors. Les personnes qui rejoignent les segments d’ici là le reçoivent aussi.`,
  textOfDaily: (first, rule) =>
    `L’envoi commence le ${first}, puis ${rule} (heure de Paris), chaque fois avec le contenu d’alors. Les personnes qui rejoignent les segments d’ici là le reçoivent aussi.`,
  changed: (now) => `Une autre personne a changé la planification entre-temps. C’est maintenant : ${now}.`,
  removed: 'aucune date',
};
