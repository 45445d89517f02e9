/** Refusals of requests. Each sentence of the service, with {} for what differs, and its French one. */
export const serviceRefusals: Readonly<Record<string, string>> = {
  '{} not found': '{} : introuvable',
  Campaign: 'Campagne',
  Target: 'Cible',
  Subscriber: 'Abonné',
  Directory: 'Répertoire',
  Picture: 'Image',
  Import: 'Import',
  File: 'Fichier',
  Job: 'Envoi',
  Sending: 'Envoi',
  Sent: 'Envoi',
  Segment: 'Segment',
  Route: 'Relais',
  Repository: 'Dépôt',
  Thematic: 'Thématique',
  User: 'Utilisateur',
  Passkey: 'Clé d’accès',
  Webhook: 'Webhook',
  'Tracked link': 'Lien suivi',
  'Target {}': 'Cible {}',
  'File {}': 'Fichier {}',
  'The email or password is incorrect': 'L’e-mail ou le mot de passe n’est pas bon',
  "Your role lacks the right '{}' that this operation needs":
    'Votre rôle n’a pas le droit « {} » qu’il faut ici',
  'Administration is for administrators of the installation':
    'L’administration est réservée aux administrateurs de l’installation',
  'The record has changed since it was read; read it again, and make the change to what it is now':
    'Cet élément a changé depuis sa lecture ; relisez-le et refaites la modification',
  'The record already exists; read it, and change it with If-Match':
    'Cet élément existe déjà ; relisez-le et modifiez-le',
  'Too many attempts; try again in {} s': 'Trop d’essais ; réessayez dans {} s',
  'Too many {} are under way for this site; try again in some seconds':
    'Trop d’opérations de ce genre sont en cours ; réessayez dans quelques secondes',
  'The session has made too many requests; try again in {} s':
    'La session a fait trop de demandes ; réessayez dans {} s',
  'The query exceeded the time limit; narrow the request or try again':
    'La demande a dépassé la durée permise ; demandez moins, ou réessayez',
  'The request conflicted with another one that writes the same records; try again':
    'Une autre demande modifiait les mêmes données ; réessayez',
  'A disk of the service is full; try again after its operator has freed space':
    'Un disque du service est plein ; réessayez quand un administrateur aura fait de la place',
  'The database is unavailable; try again in a moment':
    'La base de données est indisponible ; réessayez dans un instant',
  'The body is larger than the {} MB that this operation takes': 'L’envoi dépasse les {} Mo permis ici',
  'The response would exceed {} characters; name fewer subscribers in a call':
    'La réponse dépasserait {} caractères ; demandez moins d’abonnés à la fois',
  'This passkey belongs to no user here; use another one, or your password':
    'Cette clé d’accès n’est à aucun utilisateur d’ici ; utilisez-en une autre, ou votre mot de passe',
  'The passkey is not valid here; use another one, or your password':
    'La clé d’accès n’est pas valable ici ; utilisez-en une autre, ou votre mot de passe',
  'This passkey is already registered': 'Cette clé d’accès est déjà enregistrée',
  'You have {} passkeys; delete one that you no longer use':
    'Vous avez {} clés d’accès ; supprimez-en une qui ne sert plus',
  'There are no passkeys at {}: open the console by https and the name of its host':
    'Il n’y a pas de clés d’accès sur {} : ouvrez la console en https et par son nom d’hôte',
  'the link is unknown, used or too old; request a new one':
    'ce lien est inconnu, déjà utilisé ou trop ancien ; demandez-en un autre',
  'the sign-in was begun elsewhere or too long ago; begin again':
    'la connexion a été commencée ailleurs ou il y a trop longtemps ; recommencez',
  'the attempt was begun elsewhere or too long ago; begin again':
    'l’essai a été commencé ailleurs ou il y a trop longtemps ; recommencez',
  'the provider of accounts refused the sign-in ({}); begin again':
    'le fournisseur de comptes a refusé la connexion ({}) ; recommencez',
  'they do not belong to this sign-in; begin again': 'ils ne vont pas avec cette connexion ; recommencez',
  'The provider has not verified the address of this account; sign in with your password':
    'Le fournisseur n’a pas vérifié l’adresse de ce compte ; connectez-vous avec votre mot de passe',
  'No user of this installation has the address {}; ask an administrator to add you':
    'Aucun utilisateur d’ici n’a l’adresse {} ; demandez à un administrateur de vous ajouter',
  'The provider of accounts does not answer as expected; try again, or sign in with your password. The log has the reason':
    'Le fournisseur de comptes ne répond pas comme prévu ; réessayez, ou connectez-vous avec votre mot de passe',
  'Users cannot disable themselves; another administrator must do it':
    'On ne peut pas se désactiver soi-même ; un autre administrateur doit le faire',
  'Administrators cannot give up the administration themselves; another administrator must do it':
    'On ne peut pas quitter l’administration soi-même ; un autre administrateur doit le faire',
  'A user with this email already exists': 'Un utilisateur a déjà cette adresse e-mail',
  "A site named '{}' already exists": 'Un site nommé « {} » existe déjà',
  "The site already has the sending domain '{}' with a key for {}":
    'Le site a déjà le domaine « {} » avec une clé {}',
  'The account already has {} keys; remove one first': 'Le compte a déjà {} clés ; retirez-en une d’abord',
  'Another provider has this name': 'Un autre fournisseur porte ce nom',
  "The domain '{}' belongs to the provider '{}'": 'Le domaine « {} » est au fournisseur « {} »',
  "The mail servers '{}' belong to the provider '{}'": 'Les serveurs « {} » sont au fournisseur « {} »',
  'A campaign has at most {} segments': 'Une campagne a au plus {} segments',
  'A segment has at most {} advertisements': 'Un segment a au plus {} publicités',
  'A site has at most {} advertisements': 'Un site a au plus {} publicités',
  'A site may have at most {} directories': 'Un site a au plus {} répertoires',
  'must name each segment of the campaign once: {}':
    'chaque segment de la campagne doit figurer une fois : {}',
  'the campaign has no segment': 'la campagne n’a pas de segment',
  'the HTML of the campaign has no [[ENCART.n]]; add one first':
    'le HTML de la campagne n’a pas de [[ENCART.n]] ; ajoutez-en un d’abord',
  'Segment {} uses target {}, which no longer exists; choose another target':
    'Le segment {} utilise la cible {}, qui n’existe plus ; choisissez une autre cible',
  'The test target selects more than {} subscribers; restrict it to your testers':
    'La cible de test contient plus de {} abonnés ; limitez-la à vos testeurs',
  'Campaign {} is being changed by another call; try again later':
    'La campagne {} est en cours de modification ; réessayez plus tard',
  'The campaign is not ready: {}': 'La campagne n’est pas prête : {}',
  'The test mailing is not ready: {}': 'L’envoi de test n’est pas prêt : {}',
  'The campaign {}, so it cannot {}': 'La campagne {} ; elle ne peut donc pas {}',
  'has no schedule': 'n’a pas de date',
  'lose its schedule': 'perdre sa date',
  'is being sent': 'est en cours d’envoi',
  'missed its date': 'a manqué sa date',
  'ended with an error': 'a fini par une erreur',
  'end with an error': 'finir par une erreur',
  'The campaign is paused; resume or stop it before you schedule it':
    'La campagne est en pause ; reprenez-la ou arrêtez-la avant de la programmer',
  'The campaign is about to be sent; stop it before you schedule it':
    'La campagne va partir ; arrêtez-la avant de la programmer',
  'The campaign is already being sent; stop it before you schedule it again':
    'La campagne est déjà en cours d’envoi ; arrêtez-la avant de la reprogrammer',
  'The campaign is {} and cannot be changed; stop it first: once stopped it cannot be resumed, and what is sent again goes to everybody':
    'La campagne est en cours d’envoi et ne peut pas être modifiée ; arrêtez-la d’abord, mais elle ne pourra pas reprendre et un nouvel envoi irait à tous',
  'The campaign is paused; resume it or stop it before you resend it':
    'La campagne est en pause ; reprenez-la ou arrêtez-la avant de la renvoyer',
  'The campaign is one-shot (isOneshot), so it is sent once; give one date, or set isOneshot to false':
    'La campagne ne part qu’une fois ; donnez une seule date, ou autorisez plusieurs envois',
  'The campaign is one-shot (isOneshot) and {}': 'La campagne ne part qu’une fois et {}',
  'has been sent (job {})': 'a déjà été envoyée (envoi {})',
  'has been sent (job {}, ended {})': 'a déjà été envoyée (envoi {}, fini le {})',
  'The campaign {}; set afterJob to {} to send it to its audience again':
    'La campagne {} ; elle peut être renvoyée à son audience depuis son rapport',
  'The campaign has no test target': 'La campagne n’a pas de cible de test',
  'Target {} is not a test target': 'La cible {} n’est pas une cible de test',
  'The campaign has a job that is not finished': 'La campagne a un envoi qui n’est pas fini',
  'The campaign has already been begun for {} (job {}); give a later date':
    'La campagne a déjà commencé pour le {} (envoi {}) ; donnez une date plus tardive',
  'The messages have expired ({}); stop the campaign instead':
    'Les messages ont expiré ({}) ; arrêtez plutôt la campagne',
  'The job changed to {} at the same time; try again':
    'L’envoi a changé d’état au même moment ({}) ; réessayez',
  'The job is {}, so it cannot be {}': 'L’envoi est dans l’état {} ; ce n’est donc pas possible',
  'Sending is held: {}. The operator must adopt this installation first':
    'Les envois sont retenus : {}. L’exploitant doit d’abord reprendre cette installation',
  'no {} recipient of job {} is left who may receive messages':
    'il ne reste aucun destinataire de l’envoi {2} qui puisse recevoir des messages',
  'job {} still has recipients without a final state; try again in a moment':
    'l’envoi {} a encore des destinataires sans état final ; réessayez dans un instant',
  'Readers could not reach the links and the unsubscribe page at {}: set FACTEUR_PUBLIC_URL to the public address of this installation':
    'Les lecteurs n’atteindraient pas les liens et la page de désabonnement sur {} : un administrateur doit régler FACTEUR_PUBLIC_URL sur l’adresse publique de cette installation',
  'The message cannot be made: {}': 'Le message ne peut pas être fait : {}',
  'The site already has sample data; remove it first':
    'Le site a déjà des données d’exemple ; retirez-les d’abord',
  'Campaign {} is scheduled or being sent; stop it, then remove the sample data':
    'La campagne {} est programmée ou en cours d’envoi ; arrêtez-la, puis retirez les données d’exemple',
  'Directory {} is a system directory and cannot be renamed or moved':
    'Le répertoire {} est au système ; il ne peut être ni renommé ni déplacé',
  'Directory {} is a system directory and cannot be deleted':
    'Le répertoire {} est au système et ne peut pas être supprimé',
  'Directory {} has sub-directories (“{}”); move or delete them first':
    'Le répertoire {} a des sous-répertoires (« {} ») ; déplacez-les ou supprimez-les d’abord',
  'Error, too many exports in progress (max {})': 'Trop d’exports sont en cours (au plus {})',
  'All {} custom fields of the quota are in use': 'Les {} champs personnalisés permis sont tous utilisés',
  'Other requests keep changing the fields; try again later':
    'D’autres demandes modifient les champs ; réessayez plus tard',
  'The subscribers are busy with a long change (an import, for example); try again later':
    'Les abonnés sont pris par une longue modification (un import, par exemple) ; réessayez plus tard',
  '{} is a system field and cannot be modified': '{} est un champ du système et ne peut pas être modifié',
  'The repository is the default one of the site; choose another first ({} for its own folder)':
    'C’est le dépôt par défaut du site ; choisissez-en un autre d’abord ({} pour son propre dossier)',
  'Another request changed the repository; read it and try again':
    'Une autre demande a modifié le dépôt ; relisez-le et réessayez',
  'The SFTP server {} shows {}, not the known one, {}: the connection may be intercepted. If the server has really changed its key, an administrator can accept it':
    'Le serveur SFTP {} montre {} et non la clé connue, {} : la connexion est peut-être interceptée. Si le serveur a vraiment changé de clé, un administrateur peut l’accepter',
  'The SFTP server {} cannot be used: {}': 'Le serveur SFTP {} ne peut pas être utilisé : {}',
  'The SFTP server does not reply in time; try again in a moment':
    'Le serveur SFTP ne répond pas à temps ; réessayez dans un instant',
  'The SFTP server does not allow this file to be deleted':
    'Le serveur SFTP ne permet pas de supprimer ce fichier',
  'it refuses the login': 'il refuse la connexion',
  'it does not answer': 'il ne répond pas',
  'it does not accept connections': 'il n’accepte pas de connexions',
  'it has not answered for {} s': 'il n’a pas répondu depuis {} s',
  'the connection broke': 'la connexion a été coupée',
  "The site's folder has no such file. Imports and exports of this site use the SFTP account {}; get the file there by SFTP":
    'Le dossier du site n’a pas ce fichier. Les imports et exports du site passent par le compte SFTP {} ; prenez-y le fichier',
  "Imports of this site read from the SFTP account {}, not from the site's folder; put the file there by SFTP, or have an administrator make the site's folder the default repository":
    'Les imports de ce site lisent le compte SFTP {} et non le dossier du site ; déposez-y le fichier, ou demandez à un administrateur de changer le dépôt par défaut',
  'The folder has more than {} entries; move some of them to other folders':
    'Le dossier a plus de {} éléments ; déplacez-en dans d’autres dossiers',
  'The file is needed by {}; delete or change that first':
    'Le fichier sert encore ({}) ; supprimez ou modifiez cela d’abord',
  'The content block is shown by {}; remove it there, or set force to true':
    'Ce bloc est affiché par {} ; retirez-en sa balise, ou supprimez-le quand même',
  'The content data are shown by {}; remove them there, or set force to true':
    'Ces données sont affichées par {} ; retirez-en leur balise, ou supprimez-les quand même',
  'The picture is shown by {}; remove it there, archive it, or set force to true':
    'L’image est utilisée par {} ; retirez-la, archivez-la, ou supprimez-la quand même',
  'The pictures of the site would exceed {} bytes (FACTEUR_PICTURE_QUOTA_MB); delete some first':
    'Les images du site dépasseraient {} octets ; supprimez-en d’abord',
  'a picture may have at most {} bytes': 'une image a au plus {} octets',
  '{}: is not a PNG, JPEG, GIF or WebP picture': '{} : n’est pas une image PNG, JPEG, GIF ou WebP',
  '{}: the picture is incomplete or damaged; upload it again':
    '{} : l’image est incomplète ou abîmée ; envoyez-la à nouveau',
  '{}: {}x{} pixels; a side may have at most {}': '{} : {} × {} pixels ; un côté en a au plus {}',
  '{}: larger than {} bytes once written without its metadata': '{} : plus de {} octets sans ses métadonnées',
  'must end with .png, .jpg, .jpeg, .gif or .webp': 'le nom finit par .png, .jpg, .jpeg, .gif ou .webp',
  '{} is a picture of type {}; use the extension .{}': '{} est une image {} ; utilisez l’extension .{}',
  "may contain only letters, digits, spaces and ._-()+,'&@!=":
    "lettres, chiffres, espaces et ._-()+,'&@!= seulement",
  'must not begin or end with a dot, end with a space, or contain two dots':
    'ne doit ni commencer ni finir par un point, ni finir par une espace, ni contenir deux points de suite',
  'SVG pictures are not accepted: they can contain scripts, and mail programs do not show them; use PNG':
    'Les images SVG ne sont pas acceptées : elles peuvent contenir des scripts, et les messageries ne les montrent pas ; utilisez PNG',
  'The host {} cannot be resolved ({})': 'L’hôte {} est introuvable dans le DNS ({})',
  'The host {} has no address': 'L’hôte {} n’a pas d’adresse',
  '{} is an internal address; an operator can allow its network (FACTEUR_PRIVATE_NETWORKS)':
    '{} est une adresse interne ; l’exploitant peut permettre son réseau (FACTEUR_PRIVATE_NETWORKS)',
  'the message cannot be made for subscriber {} ({})':
    'le message ne peut pas être fait pour l’abonné {} ({})',
  'the message cannot be made for subscriber {} ({}); choose another one':
    'le message ne peut pas être fait pour l’abonné {} ({}) ; choisissez-en un autre',
  'the site has no subscriber who may receive mail; create one first':
    'le site n’a aucun abonné qui puisse recevoir de message ; créez-en un d’abord',
  'The sending has no messages yet: they are made when its job is generated or its test is decided':
    'L’envoi n’a pas encore de messages : ils se font à sa préparation, ou quand le test est décidé',
  'An error occurred: Cannot insert a duplicate subscriber because his email already exists in the database.':
    'Un autre abonné a cette adresse e-mail.',
  'Error, email to insert not found': 'L’adresse e-mail est obligatoire',
  'The alert has ended': 'L’alerte est finie',
  'The alert has level {}: it ends automatically when the rate falls':
    'L’alerte est de niveau {} : elle finit d’elle-même quand le taux baisse',
  'The site has {} reports; the oldest expires within 30 days, then one more fits':
    'Le site a {} rapports partagés ; le plus ancien expire sous 30 jours, ce qui fera une place',
  '{} cannot be evaluated on these subscribers: {}': '{} ne peut pas être évalué sur ces abonnés : {}',
  '{} took longer than {} s to evaluate; simplify its filters':
    '{} a mis plus de {} s ; simplifiez ses filtres',
  'Too many filter files are waiting to be loaded; try again in a few minutes':
    'Trop de fichiers de filtres attendent ; réessayez dans quelques minutes',
  'A field filter compares fields of type Date with more than {} values; correct the filter and set it again':
    'Un filtre compare des champs de date à plus de {} valeurs ; corrigez-le',
  'A field filter compares field {} by {}, which its type or list no longer allows; correct the filter and set it again':
    'Un filtre compare le champ {} par {}, ce que son type ou sa liste ne permet plus ; corrigez-le',
  'A file filter cannot be used: {}': 'Un filtre par fichier ne peut pas servir : {}',
  'The {} filter uses {} {}, which no longer exists; remove it from the filter':
    'Le filtre {} utilise {} {}, qui n’existe plus ; retirez-le du filtre',
  'The geolocation filter uses the postcode {}, which no longer exists; remove it from the filter':
    'Le filtre de lieu utilise le code postal {}, qui n’existe plus ; retirez-le du filtre',
  'The SQL filter fails: {}; correct the filter and set it again': 'Le filtre SQL échoue : {} ; corrigez-le',
  'The SQL filter of target {} fails: {}; correct the filter and set it again':
    'Le filtre SQL de la cible {} échoue : {} ; corrigez-le',
  'The SQL filter of target {}': 'Le filtre SQL de la cible {}',
  'SQL filters cannot be used: the database refuses the role that runs them for this site; its log and the log of this service say why':
    'Les filtres SQL ne peuvent pas servir : la base de données refuse le rôle qui les exécute ; son journal et celui du service disent pourquoi',
  'The database has no connection left for SQL filters; try again later':
    'La base de données n’a plus de connexion pour les filtres SQL ; réessayez plus tard',
  'The fields of the site are being changed; try again later':
    'Les champs du site sont en cours de modification ; réessayez plus tard',
  'takes too long, over {} s for {} subscribers; simplify it':
    'prend trop de temps, plus de {} s pour {} abonnés ; simplifiez',
  'begins with WHERE; write the condition alone, without WHERE':
    'commence par WHERE ; écrivez la condition seule',
  '; may not be used: the filter is one expression':
    '; n’est pas permis : le filtre est une seule expression',
  '{} may not be used: the filter is one expression':
    '{} n’est pas permis : le filtre est une seule expression',
  '{} may not be used': '{} n’est pas permis',
  'the function {} may not be used; functions: {}': 'la fonction {} n’est pas permise ; fonctions : {}',
  'the function {} has {} to {} arguments, not {}': 'la fonction {} a {} à {} arguments, et non {}',
  'the operator {} may not be used': 'l’opérateur {} n’est pas permis',
  'UNION, INTERSECT and EXCEPT may not be used': 'UNION, INTERSECT et EXCEPT ne sont pas permis',
  '{}: name the column alone, for example fld7': '{} : nommez la colonne seule, par exemple fld7',
  'the expression is nested too deeply': 'l’expression a trop de niveaux imbriqués',
  'the expression is nested deeper than {}': 'l’expression a plus de {} niveaux imbriqués',
  'values of these types cannot be combined; CAST(… AS numeric) makes a text a number':
    'des valeurs de ces types ne se combinent pas ; CAST(… AS numeric) fait d’un texte un nombre',
  'has the wrong type here; a condition must be true or false, for example a comparison':
    'n’est pas du bon type ici ; une condition est vraie ou fausse, par exemple une comparaison',
  'a value of this type cannot be cast to the other': 'une valeur de ce type ne se convertit pas en l’autre',
  'a text that is not a value of the type it is used as': 'un texte qui n’est pas une valeur du type voulu',
  'The filters of {}, with excluded targets, are larger than {} bytes in total, counting an excluded target at each mention; use file filters for long lists':
    'Les filtres de {}, avec les cibles exclues, dépassent {} octets en tout ; utilisez des filtres par fichier pour les longues listes',
  'Target {} is used by campaigns that are scheduled or sending: {}':
    'La cible {} sert à des campagnes programmées ou en cours d’envoi : {}',
  'Target {} is excluded by targets {}': 'La cible {} est exclue par les cibles {}',
};
