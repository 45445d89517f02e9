import type { PageLanguage } from '../contents/page-language.ts';

/** The title and the text of a page, and the label of its button if it asks a question. */
export type PageWords = readonly [title: string, text: string, button?: string];

/** Texts that fit every reader: no form of address or participle implies a gender. */
export const pageWords = {
  ask: {
    en: ['Unsubscribe', 'Do you no longer wish to receive our messages? Please confirm.', 'Unsubscribe'],
    fr: [
      'Désinscription',
      'Vous ne souhaitez plus recevoir nos messages ? Merci de confirmer.',
      'Me désinscrire',
    ],
    de: ['Abmelden', 'Möchten Sie unsere Nachrichten nicht mehr erhalten? Bitte bestätigen Sie.', 'Abmelden'],
    es: ['Darse de baja', '¿Ya no desea recibir nuestros mensajes? Confírmelo, por favor.', 'Darme de baja'],
    it: [
      'Annulla iscrizione',
      'Non desidera più ricevere i nostri messaggi? La preghiamo di confermare.',
      'Annulla iscrizione',
    ],
  },
  done: {
    en: ['You will no longer receive our messages', 'Was it a mistake? You can undo it.', 'Undo'],
    fr: [
      'Vous ne recevrez plus nos messages',
      'C’était une erreur ? Vous pouvez annuler.',
      'Annuler la désinscription',
    ],
    de: [
      'Sie erhalten unsere Nachrichten nicht mehr',
      'War es ein Versehen? Sie können es rückgängig machen.',
      'Rückgängig machen',
    ],
    es: ['Ya no recibirá nuestros mensajes', '¿Fue un error? Puede deshacerlo.', 'Deshacer'],
    it: ['Non riceverà più i nostri messaggi', 'È stato un errore? Può annullare.', 'Annulla'],
  },
  undone: {
    en: ['Done', 'You will continue to receive our messages.'],
    fr: ['C’est fait', 'Vous continuerez à recevoir nos messages.'],
    de: ['Erledigt', 'Sie erhalten unsere Nachrichten weiterhin.'],
    es: ['Hecho', 'Seguirá recibiendo nuestros mensajes.'],
    it: ['Fatto', 'Continuerà a ricevere i nostri messaggi.'],
  },
  notUndone: {
    en: [
      'Nothing was changed',
      'This can be undone for one hour only. Please subscribe again on our website.',
    ],
    fr: [
      'Rien n’a été modifié',
      'L’annulation n’est possible que pendant une heure. Merci de vous réinscrire sur notre site.',
    ],
    de: [
      'Nichts wurde geändert',
      'Dies lässt sich nur eine Stunde lang rückgängig machen. Bitte melden Sie sich auf unserer Website neu an.',
    ],
    es: [
      'No se ha cambiado nada',
      'Solo se puede deshacer durante una hora. Suscríbase de nuevo en nuestro sitio web.',
    ],
    it: [
      'Nulla è stato modificato',
      'È possibile annullare solo per un’ora. La preghiamo di iscriversi di nuovo sul nostro sito.',
    ],
  },
  doneInTest: {
    en: ['This was a test', 'The link works. It belongs to a test mailing, so no one was unsubscribed.'],
    fr: [
      'Ceci était un test',
      'Le lien fonctionne. Il provient d’un envoi de test : aucune désinscription n’a été faite.',
    ],
    de: [
      'Dies war ein Test',
      'Der Link funktioniert. Er gehört zu einem Testversand, daher wurde niemand abgemeldet.',
    ],
    es: [
      'Esto era una prueba',
      'El enlace funciona. Pertenece a un envío de prueba: nadie se ha dado de baja.',
    ],
    it: [
      'Era una prova',
      'Il link funziona. Appartiene a un invio di prova: nessuna iscrizione è stata annullata.',
    ],
  },
  notUnderstood: {
    en: ['Nothing was changed', 'The request was not understood. Please open the link of the message again.'],
    fr: [
      'Rien n’a été modifié',
      'La demande n’a pas été comprise. Merci d’ouvrir à nouveau le lien du message.',
    ],
    de: [
      'Nichts wurde geändert',
      'Die Anfrage wurde nicht verstanden. Bitte öffnen Sie den Link der Nachricht erneut.',
    ],
    es: ['No se ha cambiado nada', 'No se entendió la petición. Abra de nuevo el enlace del mensaje.'],
    it: [
      'Nulla è stato modificato',
      'La richiesta non è stata compresa. La preghiamo di riaprire il link del messaggio.',
    ],
  },
  gone: {
    en: ['Page not found', 'This link is not valid. Please copy it whole from the message.'],
    fr: ['Page introuvable', 'Ce lien n’est pas valide. Merci de le copier en entier depuis le message.'],
    de: [
      'Seite nicht gefunden',
      'Dieser Link ist ungültig. Bitte kopieren Sie ihn vollständig aus der Nachricht.',
    ],
    es: ['Página no encontrada', 'Este enlace no es válido. Cópielo entero del mensaje.'],
    it: [
      'Pagina non trovata',
      'Questo link non è valido. La preghiamo di copiarlo per intero dal messaggio.',
    ],
  },
  tooLarge: {
    en: [
      'The page is too large',
      'This message is too large to be shown here. Please read it in your mail program.',
    ],
    fr: [
      'La page est trop grande',
      'Ce message est trop grand pour être affiché ici. Merci de le lire dans votre messagerie.',
    ],
    de: [
      'Die Seite ist zu groß',
      'Diese Nachricht ist zu groß, um hier angezeigt zu werden. Bitte lesen Sie sie in Ihrem E-Mail-Programm.',
    ],
    es: [
      'La página es demasiado grande',
      'Este mensaje es demasiado grande para mostrarse aquí. Léalo en su programa de correo.',
    ],
    it: [
      'La pagina è troppo grande',
      'Questo messaggio è troppo grande per essere mostrato qui. Lo legga nel suo programma di posta.',
    ],
  },
  forwarded: {
    en: ['Thank you', 'The message is on its way to your friends.'],
    fr: ['Merci', 'Le message est en route vers vos destinataires.'],
    de: ['Vielen Dank', 'Die Nachricht ist unterwegs.'],
    es: ['Gracias', 'El mensaje está en camino.'],
    it: ['Grazie', 'Il messaggio è in viaggio.'],
  },
  tooManyForwards: {
    en: ['Nothing was sent', 'You cannot forward more messages for now.'],
    fr: ['Rien n’a été envoyé', 'Vous avez transféré autant de messages qu’il est possible pour le moment.'],
    de: ['Nichts wurde gesendet', 'Mehr Nachrichten können Sie im Moment nicht weiterleiten.'],
    es: ['No se ha enviado nada', 'De momento no puede reenviar más mensajes.'],
    it: ['Nulla è stato inviato', 'Per il momento non può inoltrare altri messaggi.'],
  },
  notForwardable: {
    en: [
      'This message cannot be forwarded again',
      'It was forwarded to you by someone who receives our messages. Only they can forward it.',
    ],
    fr: [
      'Ce message ne peut pas être transféré à nouveau',
      'Il vous a été transféré par une personne qui reçoit nos messages. Elle seule peut le transférer.',
    ],
    de: [
      'Diese Nachricht kann nicht erneut weitergeleitet werden',
      'Eine Person, die unsere Nachrichten erhält, hat sie Ihnen weitergeleitet. Nur diese Person kann es tun.',
    ],
    es: [
      'Este mensaje no se puede volver a reenviar',
      'Se lo reenvió una persona que recibe nuestros mensajes. Solo esa persona puede reenviarlo.',
    ],
    it: [
      'Questo messaggio non può essere inoltrato di nuovo',
      'Le è stato inoltrato da una persona che riceve i nostri messaggi. Solo quella persona può inoltrarlo.',
    ],
  },
  askStop: {
    en: [
      'No more forwarded messages',
      'This message was forwarded to you by one of our readers. Do you want no one to forward our ' +
        'messages to you again? Please confirm.',
      'Do not forward to me',
    ],
    fr: [
      'Ne plus recevoir de messages transférés',
      'Ce message vous a été transféré par une personne qui nous lit. Souhaitez-vous que personne ne ' +
        'puisse plus vous transférer nos messages ? Merci de confirmer.',
      'Ne plus me transférer',
    ],
    de: [
      'Keine weitergeleiteten Nachrichten mehr',
      'Diese Nachricht wurde Ihnen weitergeleitet. Soll Ihnen niemand mehr unsere Nachrichten ' +
        'weiterleiten können? Bitte bestätigen Sie.',
      'Mir nichts mehr weiterleiten',
    ],
    es: [
      'No recibir más mensajes reenviados',
      'Alguien que recibe nuestros mensajes le reenvió este. ¿Desea que nadie pueda volver a reenviarle ' +
        'nuestros mensajes? Confírmelo, por favor.',
      'No reenviarme más',
    ],
    it: [
      'Non ricevere più messaggi inoltrati',
      'Questo messaggio le è stato inoltrato da chi riceve i nostri messaggi. Desidera che nessuno possa ' +
        'più inoltrarle i nostri messaggi? La preghiamo di confermare.',
      'Non inoltrarmi più',
    ],
  },
  stopped: {
    en: ['Noted', 'Our messages will no longer be forwarded to you.'],
    fr: ['C’est noté', 'Nos messages ne vous seront plus transférés.'],
    de: ['Notiert', 'Unsere Nachrichten werden Ihnen nicht mehr weitergeleitet.'],
    es: ['Anotado', 'Ya no se le reenviarán nuestros mensajes.'],
    it: ['Fatto', 'I nostri messaggi non le saranno più inoltrati.'],
  },
  expired: {
    en: ['This message has expired', 'Its sender no longer shows it.'],
    fr: ['Ce message a expiré', 'Il n’est plus affiché.'],
    de: ['Diese Nachricht ist abgelaufen', 'Sie wird nicht mehr angezeigt.'],
    es: ['Este mensaje ha caducado', 'Ya no se muestra.'],
    it: ['Questo messaggio è scaduto', 'Non viene più mostrato.'],
  },
  later: {
    en: ['Please try again', 'The page cannot be shown just now. Please try again in a moment.'],
    fr: ['Veuillez réessayer', 'La page ne peut pas être affichée. Merci de réessayer dans un instant.'],
    de: [
      'Bitte versuchen Sie es erneut',
      'Die Seite kann gerade nicht angezeigt werden. Bitte versuchen Sie es gleich noch einmal.',
    ],
    es: ['Inténtelo de nuevo', 'La página no se puede mostrar ahora. Inténtelo de nuevo en un momento.'],
    it: ['La preghiamo di riprovare', 'La pagina non può essere mostrata ora. Riprovi tra un momento.'],
  },
} satisfies Record<string, Record<PageLanguage, PageWords>>;

export type PageName = keyof typeof pageWords;
