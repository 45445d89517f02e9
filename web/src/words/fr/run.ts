import type { Words } from '../words.tsx';

export const run: Words['run'] = {
  accepted: 'Acceptés par les relais',
  of: (count) => `sur ${count}`,
  now: 'En ce moment',
  speed: (count) => `${count} par seconde`,
  left: 'Reste',
  end: 'Fini vers',
  states: { accepted: 'Acceptés', left: 'Pas encore acceptés' },
  segments: 'Segments',
  freezing: 'Gel de l’audience : les destinataires sont en train d’être fixés.',
  startsIn: 'Début dans',
  starting: 'Démarrage',
  live: (seconds) => `En direct, il y a ${seconds} s`,
  stale: (seconds) => `Rien depuis ${seconds} s`,
  pause: 'Mettre en pause',
  resume: 'Reprendre',
  stop: 'Arrêter pour de bon',
  paused: (people) => `En pause : reste à envoyer à ${people}.`,
  stopTitle: (name) => `Arrêter « ${name} » pour de bon ?`,
  stopText: (have, miss) =>
    `Déjà envoyé à ${have}. Pas envoyé à ${miss}, et l’envoi ne pourra pas reprendre. Pour attendre, mettez en pause.`,
  pauseInstead: 'Mettre en pause',
  stopConfirm: (people) => `Arrêter, laisser ${people}`,
};
