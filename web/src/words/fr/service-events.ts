/** Reasons in records: of imports, of sendings, of recipients and of tests. Each sentence of the service, with {} for what differs, and its French one. */
export const serviceEvents: Readonly<Record<string, string>> = {
  'The file is empty': 'Le fichier est vide',
  'The file {} does not exist': 'Le fichier {} n’existe pas',
  'The file {} does not exist in {}': 'Le fichier {} n’existe pas dans {}',
  'sftp/{} on the host {}': 'sftp/{} sur la machine {}',
  '{} on the SFTP server {}': '{} sur le serveur SFTP {}',
  'The file {} is still being uploaded; try again when the upload has ended':
    'Le fichier {} est encore en cours d’envoi ; réessayez quand l’envoi sera fini',
  'The file {} is being written; try again when it is whole':
    'Le fichier {} est en cours d’écriture ; réessayez quand il sera complet',
  'The file {} is not in the repository': 'Le fichier {} n’est pas dans le dépôt',
  'The file {} has more than {} values': 'Le fichier {} a plus de {} valeurs',
  'The file cannot be read: {}': 'Le fichier ne peut pas être lu : {}',
  'The file is larger than {}': 'Le fichier dépasse {}',
  'The file is packed twice': 'Le fichier est compressé deux fois',
  'The file is {}': 'Le fichier est {}',
  'an .xls file, or a workbook with a password: save it as XLSX without one':
    'un fichier .xls, ou un classeur avec un mot de passe ; enregistrez-le en XLSX sans mot de passe',
  'a .7z archive: send the file plain, as .gz or as .zip':
    'une archive .7z ; envoyez le fichier tel quel, en .gz ou en .zip',
  'a .rar archive: send the file plain, as .gz or as .zip':
    'une archive .rar ; envoyez le fichier tel quel, en .gz ou en .zip',
  'an .xz file: send it plain, as .gz or as .zip': 'un fichier .xz ; envoyez-le tel quel, en .gz ou en .zip',
  'a .zst file: send it plain, as .gz or as .zip': 'un fichier .zst ; envoyez-le tel quel, en .gz ou en .zip',
  'a PDF: send a CSV or XLSX file': 'un PDF ; envoyez un fichier CSV ou XLSX',
  '.xls files are not read: save the sheet as XLSX or CSV':
    'les fichiers .xls ne sont pas lus ; enregistrez la feuille en XLSX ou CSV',
  'of spreadsheets only XLSX is read: save it as XLSX or CSV':
    'parmi les classeurs, seul XLSX est lu ; enregistrez-le en XLSX ou CSV',
  'this packing is not read: send the file plain, as .gz or as .zip':
    'cette compression n’est pas lue ; envoyez le fichier tel quel, en .gz ou en .zip',
  'The file cannot be unpacked: {}': 'Le fichier ne peut pas être décompressé : {}',
  'The file cannot be unpacked: {} is not what its name says ({})':
    'Le fichier ne peut pas être décompressé : {} n’est pas ce que dit son nom ({})',
  'The file grows more than {} times when it is unpacked':
    'Le fichier grossit plus de {} fois à la décompression',
  'The content is larger than {}': 'Le contenu dépasse {}',
  'The zip archive must contain one file; it contains {}':
    'L’archive zip doit contenir un fichier ; elle en contient {}',
  'The zip archive is damaged: a checksum is wrong':
    'L’archive zip est abîmée : une somme de contrôle est fausse',
  'The zip archive cannot be read: {}': 'L’archive zip ne peut pas être lue : {}',
  '{} in the zip archive is encrypted': '{} est chiffré dans l’archive zip',
  'The file is an .xlsb workbook: save it as XLSX':
    'Le fichier est un classeur .xlsb ; enregistrez-le en XLSX',
  'The file is an OpenDocument file: save it as XLSX or CSV':
    'Le fichier est au format OpenDocument ; enregistrez-le en XLSX ou CSV',
  'The file does not contain a workbook': 'Le fichier ne contient pas de classeur',
  'The workbook has no sheet': 'Le classeur n’a pas de feuille',
  'The workbook has no sheet {}: it has {}': 'Le classeur n’a pas de feuille {} : il a {}',
  'The sheet has more than {} rows': 'La feuille a plus de {} lignes',
  'The code page {} is not known': 'La page de codes {} est inconnue',
  'The file is written in UTF-8 (code page 65001), not in code page {}':
    'Le fichier est écrit en UTF-8 (page de codes 65001) et non dans la page de codes {}',
  'The line of column names {}': 'La ligne des noms de colonnes {}',
  'The file has no column {}: it has {}': 'Le fichier n’a pas de colonne {} : il a {}',
  'The file has no column {}': 'Le fichier n’a pas de colonne {}',
  'The file has the column {} twice, as column {} and {}':
    'Le fichier a deux fois la colonne {}, en {} et {}',
  'Unknown field fld{}': 'Champ fld{} inconnu',
  'Field fld{} no longer exists': 'Le champ fld{} n’existe plus',
  'the key fld{} is unknown; name a field of the site': 'la clé fld{} est inconnue ; nommez un champ du site',
  '{} cannot be the key: fld0, fld1, fld43 or a custom Text or Integer field can':
    '{} ne peut pas être la clé : fld0, fld1, fld43 ou un champ personnalisé texte ou nombre le peut',
  'parameters.columnMapping: the key, fld1 unless keyDbFieldName names another, must be mapped to a column of the file':
    'la clé doit être associée à une colonne du fichier',
  'the key, fld1 unless keyDbFieldName names another, must be mapped to a column of the file':
    'la clé doit être associée à une colonne du fichier',
  '{}: only a Date takes the time of the import': '{} : seule une date prend l’heure de l’import',
  'Field {} has changed': 'Le champ {} a changé',
  'The service stopped while the file was merged, and the file has changed since: import it again':
    'Le service s’est arrêté pendant l’écriture, et le fichier a changé depuis : importez-le à nouveau',
  'The rows up to number {} are imported: {} subscribers were added and {} changed':
    'Les lignes jusqu’au numéro {} sont importées : {} abonnés ajoutés et {} modifiés',
  'Safe mode: some rows cannot be imported, so nothing was changed':
    'Tout ou rien : des lignes ne peuvent pas être importées, donc rien n’a été modifié',
  'No identifiers are left for new subscribers': 'Il ne reste plus de numéros pour de nouveaux abonnés',
  "A value does not fit its table, which no check has found; the service's log says more":
    'Une valeur ne va pas dans sa table ; le journal du service en dit plus',
  'No space is left on a disk of the service': 'Un disque du service est plein',
  'The service may not read or write its own files':
    'Le service ne peut pas lire ou écrire ses propres fichiers',
  'The connection to the database broke': 'La connexion à la base de données a été coupée',
  "An error inside the service; the service's log says more":
    'Une erreur du service ; son journal en dit plus',
  'the dry run takes longer than {} s; try a part of the file':
    'l’essai à blanc prend plus de {} s ; essayez une partie du fichier',
  'a dry run reads at most {} rows; try a part of the file':
    'un essai à blanc lit au plus {} lignes ; essayez une partie du fichier',
  'Another dry run of this site is running; try again in a moment':
    'Un autre essai à blanc du site est en cours ; réessayez dans un instant',
  'The file or the fields changed; try again': 'Le fichier ou les champs ont changé ; réessayez',
  'the file takes longer than {} s to preview': 'la lecture du fichier prend plus de {} s',
  'The rows of the import are being written to the subscribers; wait until it is Completed':
    'Les lignes de l’import sont en cours d’écriture ; attendez qu’il soit fini',
  'The import cannot be resumed: no run is left before its endDate':
    'L’import ne peut pas reprendre : il ne reste aucun passage avant sa date de fin',
  'The import is {}: only one that is {} can be {}':
    'L’import a changé d’état entre-temps ; ce n’est donc plus possible',
  'Import {} was cut off while its rows were written to the subscribers; it is finished first':
    'L’import {} a été coupé pendant l’écriture de ses lignes ; il est d’abord terminé',
  'The file could not be written: {}': 'Le fichier n’a pas pu être écrit : {}',
  'The file cannot be written: {}': 'Le fichier ne peut pas être écrit : {}',
  'The subscribers could not be read': 'Les abonnés n’ont pas pu être lus',
  'A connection was lost ({})': 'Une connexion a été perdue ({})',
  'No relay can be used; sending is retried: {}': 'Aucun relais ne peut servir ; l’envoi est réessayé : {}',
  '{} does not take the user name and the password ({})':
    '{} n’accepte pas le nom d’utilisateur et le mot de passe ({})',
  '{} takes no connection now ({})': '{} n’accepte pas de connexion en ce moment ({})',
  '{} cannot be used: {}': '{} ne peut pas servir : {}',
  '{} cannot be reached: {}': '{} est injoignable : {}',
  '{} does not answer': '{} ne répond pas',
  'no relay is left': 'il ne reste aucun relais',
  'No message could be sent since {}': 'Aucun message n’a pu partir depuis le {}',
  'It is paused: resume it to send the rest, or stop it':
    'L’envoi est en pause : reprenez-le pour envoyer le reste, ou arrêtez-le',
  'The test mailing has been stopped': 'L’envoi de test a été arrêté',
  'The relay permanently rejected {} of {} messages, the last one with code {}':
    'Le relais a refusé {} messages sur {}, le dernier avec le code {}',
  'Sending is suspended because of complaints at {}; the messages wait':
    'L’envoi est suspendu à cause de plaintes chez {} ; les messages attendent',
  'It could not be generated; the generation is retried':
    'L’envoi n’a pas pu être préparé ; un nouvel essai suit',
  'the service met an unexpected error': 'le service a rencontré une erreur imprévue',
  'Missed: it was to start at {}, more than an hour ago':
    'Manqué : le départ était prévu le {}, il y a plus d’une heure',
  'Its date was removed': 'Sa date a été retirée',
  'no segment to send to': 'aucun segment à qui envoyer',
  'no sending configuration': 'aucun expéditeur n’est choisi',
  "The messages cannot be made: the DKIM key of the sender's domain cannot be read":
    'Les messages ne peuvent pas être faits : la clé DKIM du domaine de l’expéditeur ne peut pas être lue',
  '{} refused (not for the mailbox: the sender, the content, a policy)':
    '{} refusés (pas à cause de la boîte : l’expéditeur, le contenu, une règle)',
  '{} expired (the relay kept deferring them until the time limit)':
    '{} expirés (le relais les a différés jusqu’à la limite)',
  '{} uncertain (handed over, but the reply was lost)': '{} incertains (remis, mais la réponse s’est perdue)',
  'besides {} bounced, which is no error': 'et {} en erreur, ce qui est normal',
  'the relay rejected the message permanently, or it could not be built':
    'le relais a refusé le message, ou il n’a pas pu être fait',
  'the relay kept deferring the message until the time limit':
    'le relais a différé le message jusqu’à la limite',
  'the reply to the final dot was lost: the message may or may not have arrived':
    'la dernière réponse s’est perdue : le message est peut-être arrivé',
  'the relay deferred the message, which is retried': 'le relais a différé le message, qui sera réessayé',
  'the mailbox does not exist': 'la boîte n’existe pas',
  'the relay rejected the message permanently, or it could not be built: {}':
    'le relais a refusé le message ; il a répondu « {} »',
  'the relay kept deferring the message until the time limit: {}':
    'le relais a différé le message jusqu’à la limite ; il a répondu « {} »',
  'the relay deferred the message, which is retried: {}':
    'le relais a différé le message, qui sera réessayé ; il a répondu « {} »',
  'the mailbox does not exist: {}': 'la boîte n’existe pas ; le relais a répondu « {} »',
  '{} (SMTP code {})': '{} (code SMTP {})',
  'The message could not be built': 'Le message n’a pas pu être fait',
  'The relay does not offer STARTTLS': 'Le relais ne propose pas STARTTLS',
  'The relay offers neither AUTH PLAIN nor AUTH LOGIN': 'Le relais ne propose ni AUTH PLAIN ni AUTH LOGIN',
  'The relay does not accept addresses outside ASCII': 'Le relais n’accepte pas les adresses hors de l’ASCII',
  "The message is larger than the relay's {} bytes": 'Le message dépasse les {} octets du relais',
  'The reply is not SMTP': 'La réponse n’est pas du SMTP',
  'The server closed the connection': 'Le serveur a fermé la connexion',
  'No reply to {} in {} s': 'Pas de réponse à {} en {} s',
  'No connection in {} s': 'Pas de connexion en {} s',
  'The server accepted no data for {} s': 'Le serveur n’a accepté aucune donnée pendant {} s',
  '{}(the words are withheld: they may repeat the password)':
    '{}(ses mots sont cachés : ils répètent peut-être le mot de passe)',
  '(the words are withheld: they may repeat the password)':
    '(ses mots sont cachés : ils répètent peut-être le mot de passe)',
  'the target {} cannot be checked now: {}': 'la cible {} n’a pas pu être vérifiée : {}',
  'the target {}: {}': 'la cible {} : {}',
  'contains a tag, so the address differs for each reader':
    'contient une balise : l’adresse diffère pour chaque lecteur',
  'the server cannot be reached ({})': 'le serveur est injoignable ({})',
  'not a valid URL': 'n’est pas une adresse valable',
  'larger than {} bytes': 'plus de {} octets',
};
