import type { Words } from '../words.tsx';

export const exports: Words['exports'] = {
  title: 'Exports',
  new: 'Nouvel export',
  empty: 'Aucun export',
  emptyText: 'Un export écrit les personnes d’une cible dans un fichier du dossier SFTP du site.',
  first: 'Exporter des personnes',
  columns: { file: 'Fichier', state: 'État', when: 'Date', author: 'Par', rows: 'Lignes' },
  states: { SCHEDULED: 'En attente', RUNNING: 'En cours', COMPLETED: 'Terminé', FAILED: 'Échec' },
  download: 'Télécharger',
  downloadOf: (name) => `Télécharger ${name}`,
  where: (path) => `Dans le dossier SFTP : ${path}`,
  target: 'Qui',
  noTarget: 'Choisissez une cible.',
  fields: 'Colonnes du fichier',
  noField: 'Choisissez au moins un champ.',
  file: 'Nom du fichier',
  fileHint: 'Vide : un nom avec la date',
  gzip: 'Compresser le fichier (gzip)',
  start: 'Exporter',
  started: 'L’export est en cours d’écriture.',
};
