/**
 * The texts of status pages in every language. They are data: recipient-status.ts decides which applies. Placeholders: {at} is a moment as
 * `at` words it, {address} the masked address. A test compares the placeholders of all languages with those of English.
 *
 * A reader knows the site that has sent the message, and neither Postrider nor mail servers. Texts say who claims something, address the
 * reader formally where that is usual, and name no cause that is the sender's own.
 */
import type { StatusSentence, StatusState } from "./recipient-status.ts";

export const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "ja"] as const;
export type Language = (typeof LANGUAGES)[number];

export interface StatusTexts {
  /** The title of the page. */
  title: string;
  headings: Record<StatusState, string>;
  sentences: Record<StatusSentence, string>;
  /** The moment of {at}: on the day of the request only by {time}, else also by {date}. */
  at: { time: string; date: string };
  /** The next attempt, after the sentence. */
  next: string;
  /** After the sentence about a message that was sent with a test key. */
  test: string;
  /** Before the masked address. */
  to: string;
  /** The last change, with {at}. */
  updated: string;
  /** The page updates itself. */
  refreshes: string;
  /** Of a link that is not valid, or has ended. */
  gone: { heading: string; sentence: string };
  /** Where the status cannot be read now. */
  busy: { heading: string; sentence: string };
}

const ENGLISH: StatusTexts = {
  title: "Where is my message?",
  headings: {
    pending: "On its way",
    delivered: "Accepted by your email provider",
    failed: "Not delivered",
    unknown: "We do not know",
    returned: "Returned",
  },
  sentences: {
    on_its_way: "Your email provider has not accepted the message yet.",
    scheduled: "The sender has scheduled the message: it is to be sent {at}.",
    provider_waits: "Your email provider makes us wait before it accepts the message.",
    mailbox_full_waits:
      "Your email provider reports that your mailbox is full, and does not accept the message at the moment. Please free some space.",
    unreachable_waits: "We cannot hand the message over, because your email provider cannot be reached properly.",
    sender_waits: "The message is still waiting on the sender's side.",
    perhaps_waits:
      "We do not know whether the message has arrived. Please look in your inbox and your spam folder. It may arrive twice.",
    delivered: "Your email provider accepted the message {at}. If you cannot see it, please look in your spam folder.",
    delivered_assumed:
      "The sender assumes that the message was delivered. We have no confirmation from your email provider. Please look in your spam folder too.",
    no_such_address:
      "According to your email provider, the address {address} does not exist or accepts no messages. Please check the spelling.",
    no_such_domain:
      "The part after the @ in {address} does not exist, or accepts no messages. Please check the spelling.",
    mailbox_full:
      "Your email provider reports that your mailbox is full, and did not accept the message. Please free some space, then request the message again.",
    mailbox_disabled:
      "Your email provider reports that your mailbox is disabled, and did not accept the message. Please use another address.",
    refused:
      "Your email provider does not accept the message. Please contact the sender, or use another email address.",
    expired:
      "The message could not be delivered in time, and there will be no further attempt. Please request a new message.",
    blocked:
      "The message was not sent, because the sender has blocked messages to {address}. Please contact the sender.",
    cancelled: "The sender cancelled the message before it was handed over.",
    fault:
      "Because of a fault on the sender's side, there will be no further attempt to deliver the message. Please request a new message.",
    failed_assumed:
      "The sender assumes that the message was not delivered. We have no confirmation from your email provider.",
    not_delivered: "The message was not delivered, and there will be no further attempt. Please request a new message.",
    unknown: "We do not know whether the message has arrived. Please look in your inbox and your spam folder.",
    returned: "The message came back to the sender {at} as undeliverable. Please contact the sender.",
    returned_no_such_address:
      "The message came back to the sender {at}. According to the report, the address {address} does not exist or accepts no messages. Please check the spelling.",
    returned_mailbox_full:
      "The message came back to the sender {at}. According to the report, your mailbox is full. Please free some space, then request the message again.",
    returned_mailbox_disabled:
      "The message came back to the sender {at}. According to the report, your mailbox is disabled. Please use another address.",
  },
  at: { time: "at {time}", date: "on {date} at {time}" },
  next: "The next attempt is planned {at}.",
  test: "This was a test: no message was sent.",
  to: "To",
  updated: "Last change {at}.",
  refreshes: "This page updates automatically.",
  gone: {
    heading: "No status found",
    sentence:
      "This link is not valid, or it has expired. It may be incomplete: please copy it again, or request a new message.",
  },
  busy: {
    heading: "Please try again",
    sentence: "The status cannot be shown right now. Please try again in a moment.",
  },
};

const GERMAN: StatusTexts = {
  title: "Wo ist meine Nachricht?",
  headings: {
    pending: "Unterwegs",
    delivered: "Von Ihrem E-Mail-Anbieter angenommen",
    failed: "Nicht zugestellt",
    unknown: "Wir wissen es nicht",
    returned: "Zurückgekommen",
  },
  sentences: {
    on_its_way: "Ihr E-Mail-Anbieter hat die Nachricht noch nicht angenommen.",
    scheduled: "Der Absender hat einen späteren Versand festgelegt: Die Nachricht soll {at} gesendet werden.",
    provider_waits: "Ihr E-Mail-Anbieter nimmt die Nachricht vorerst nicht an.",
    mailbox_full_waits:
      "Ihr E-Mail-Anbieter meldet, dass Ihr Postfach voll ist, und nimmt die Nachricht zurzeit nicht an. Bitte geben Sie Speicherplatz frei.",
    unreachable_waits:
      "Wir können die Nachricht noch nicht übergeben, weil die Verbindung zu Ihrem E-Mail-Anbieter nicht einwandfrei funktioniert.",
    sender_waits: "Die Nachricht wartet noch beim Absender.",
    perhaps_waits:
      "Wir wissen nicht, ob die Nachricht angekommen ist. Bitte sehen Sie im Posteingang und im Spam-Ordner nach. Es kann sein, dass sie doppelt ankommt.",
    delivered:
      "Ihr E-Mail-Anbieter hat die Nachricht {at} angenommen. Wenn Sie sie nicht finden, sehen Sie bitte im Spam-Ordner nach.",
    delivered_assumed:
      "Der Absender geht davon aus, dass die Nachricht zugestellt wurde. Eine Bestätigung Ihres E-Mail-Anbieters liegt uns nicht vor. Bitte sehen Sie auch im Spam-Ordner nach.",
    no_such_address:
      "Laut Ihrem E-Mail-Anbieter existiert die Adresse {address} nicht oder nimmt keine Nachrichten an. Bitte prüfen Sie die Schreibweise.",
    no_such_domain:
      "Der Teil nach dem @ in {address} existiert nicht oder nimmt keine Nachrichten an. Bitte prüfen Sie die Schreibweise.",
    mailbox_full:
      "Ihr E-Mail-Anbieter meldet, dass Ihr Postfach voll ist, und hat die Nachricht nicht angenommen. Bitte geben Sie Speicherplatz frei und fordern Sie die Nachricht dann erneut an.",
    mailbox_disabled:
      "Ihr E-Mail-Anbieter meldet, dass Ihr Postfach deaktiviert ist, und hat die Nachricht nicht angenommen. Bitte verwenden Sie eine andere Adresse.",
    refused:
      "Ihr E-Mail-Anbieter nimmt die Nachricht nicht an. Bitte wenden Sie sich an den Absender oder verwenden Sie eine andere E-Mail-Adresse.",
    expired:
      "Die Nachricht konnte nicht rechtzeitig zugestellt werden. Es folgt kein weiterer Versuch. Bitte fordern Sie eine neue Nachricht an.",
    blocked:
      "Die Nachricht wurde nicht gesendet, weil Nachrichten an {address} beim Absender gesperrt sind. Bitte wenden Sie sich an den Absender.",
    cancelled: "Der Absender hat die Nachricht zurückgezogen, bevor sie übergeben wurde.",
    fault:
      "Wegen einer Störung beim Absender folgt kein weiterer Zustellversuch. Bitte fordern Sie eine neue Nachricht an.",
    failed_assumed:
      "Der Absender geht davon aus, dass die Nachricht nicht zugestellt wurde. Eine Bestätigung Ihres E-Mail-Anbieters liegt uns nicht vor.",
    not_delivered:
      "Die Nachricht wurde nicht zugestellt. Es folgt kein weiterer Versuch. Bitte fordern Sie eine neue Nachricht an.",
    unknown:
      "Wir wissen nicht, ob die Nachricht angekommen ist. Bitte sehen Sie im Posteingang und im Spam-Ordner nach.",
    returned:
      "Die Nachricht ist {at} als unzustellbar an den Absender zurückgekommen. Bitte wenden Sie sich an den Absender.",
    returned_no_such_address:
      "Die Nachricht ist {at} an den Absender zurückgekommen. Laut der Rückmeldung existiert die Adresse {address} nicht oder nimmt keine Nachrichten an. Bitte prüfen Sie die Schreibweise.",
    returned_mailbox_full:
      "Die Nachricht ist {at} an den Absender zurückgekommen. Laut der Rückmeldung ist Ihr Postfach voll. Bitte geben Sie Speicherplatz frei und fordern Sie die Nachricht dann erneut an.",
    returned_mailbox_disabled:
      "Die Nachricht ist {at} an den Absender zurückgekommen. Laut der Rückmeldung ist Ihr Postfach deaktiviert. Bitte verwenden Sie eine andere Adresse.",
  },
  at: { time: "um {time}", date: "am {date} um {time}" },
  next: "Der nächste Versuch ist {at} vorgesehen.",
  test: "Dies war ein Test: Es wurde keine Nachricht gesendet.",
  to: "An",
  updated: "Letzte Änderung {at}.",
  refreshes: "Diese Seite aktualisiert sich automatisch.",
  gone: {
    heading: "Kein Status gefunden",
    sentence:
      "Dieser Link ist ungültig oder abgelaufen. Vielleicht ist er unvollständig: Bitte kopieren Sie ihn noch einmal oder fordern Sie eine neue Nachricht an.",
  },
  busy: {
    heading: "Bitte versuchen Sie es noch einmal",
    sentence: "Der Status kann gerade nicht angezeigt werden. Bitte versuchen Sie es gleich noch einmal.",
  },
};

const FRENCH: StatusTexts = {
  title: "Où est mon message ?",
  headings: {
    pending: "En cours d'acheminement",
    delivered: "Accepté par votre fournisseur de messagerie",
    failed: "Non distribué",
    unknown: "Nous ne savons pas",
    returned: "Renvoyé à l'expéditeur",
  },
  sentences: {
    on_its_way: "Votre fournisseur de messagerie n'a pas encore accepté le message.",
    scheduled: "L'expéditeur a programmé le message : son envoi est prévu {at}.",
    provider_waits: "Votre fournisseur de messagerie n'accepte pas le message pour le moment.",
    mailbox_full_waits:
      "Votre fournisseur de messagerie indique que votre boîte est pleine et n'accepte pas le message pour le moment. Veuillez libérer de l'espace.",
    unreachable_waits:
      "Nous ne pouvons pas encore remettre le message, car la connexion avec votre fournisseur de messagerie ne fonctionne pas correctement.",
    sender_waits: "Le message est encore en attente du côté de l'expéditeur.",
    perhaps_waits:
      "Nous ne savons pas si le message est arrivé. Veuillez vérifier votre boîte de réception et votre dossier de courrier indésirable. Il se peut qu'il arrive deux fois.",
    delivered:
      "Votre fournisseur de messagerie a accepté le message {at}. Si vous ne le trouvez pas, veuillez vérifier votre dossier de courrier indésirable.",
    delivered_assumed:
      "L'expéditeur suppose que le message a été distribué. Nous n'avons aucune confirmation de votre fournisseur de messagerie. Veuillez vérifier aussi votre dossier de courrier indésirable.",
    no_such_address:
      "Selon votre fournisseur de messagerie, l'adresse {address} n'existe pas ou n'accepte pas de messages. Veuillez vérifier son orthographe.",
    no_such_domain:
      "La partie qui suit le @ dans {address} n'existe pas ou n'accepte pas de messages. Veuillez vérifier son orthographe.",
    mailbox_full:
      "Votre fournisseur de messagerie indique que votre boîte est pleine et n'a pas accepté le message. Veuillez libérer de l'espace, puis demander un nouvel envoi du message.",
    mailbox_disabled:
      "Votre fournisseur de messagerie indique que votre boîte est désactivée et n'a pas accepté le message. Veuillez utiliser une autre adresse.",
    refused:
      "Votre fournisseur de messagerie n'accepte pas le message. Veuillez contacter l'expéditeur ou utiliser une autre adresse e-mail.",
    expired:
      "Le message n'a pas pu être distribué à temps et il n'y aura pas d'autre tentative. Veuillez demander un nouveau message.",
    blocked:
      "Le message n'a pas été envoyé, car l'expéditeur a bloqué les messages destinés à {address}. Veuillez contacter l'expéditeur.",
    cancelled: "L'expéditeur a annulé le message avant sa remise.",
    fault:
      "En raison d'un problème technique chez l'expéditeur, il n'y aura pas d'autre tentative de distribution. Veuillez demander un nouveau message.",
    failed_assumed:
      "L'expéditeur suppose que le message n'a pas été distribué. Nous n'avons aucune confirmation de votre fournisseur de messagerie.",
    not_delivered:
      "Le message n'a pas été distribué et il n'y aura pas d'autre tentative. Veuillez demander un nouveau message.",
    unknown:
      "Nous ne savons pas si le message est arrivé. Veuillez vérifier votre boîte de réception et votre dossier de courrier indésirable.",
    returned:
      "Le message n'a pas pu être distribué et a été renvoyé à l'expéditeur {at}. Veuillez contacter l'expéditeur.",
    returned_no_such_address:
      "Le message a été renvoyé à l'expéditeur {at}. Selon l'avis de non-distribution, l'adresse {address} n'existe pas ou n'accepte pas de messages. Veuillez vérifier son orthographe.",
    returned_mailbox_full:
      "Le message a été renvoyé à l'expéditeur {at}. Selon l'avis de non-distribution, votre boîte est pleine. Veuillez libérer de l'espace, puis demander un nouvel envoi du message.",
    returned_mailbox_disabled:
      "Le message a été renvoyé à l'expéditeur {at}. Selon l'avis de non-distribution, votre boîte est désactivée. Veuillez utiliser une autre adresse.",
  },
  at: { time: "à {time}", date: "le {date} à {time}" },
  next: "La prochaine tentative est prévue {at}.",
  test: "Il s'agissait d'un test : aucun message n'a été envoyé.",
  to: "À",
  updated: "Dernière mise à jour {at}.",
  refreshes: "Cette page s'actualise automatiquement.",
  gone: {
    heading: "Aucun suivi trouvé",
    sentence:
      "Ce lien n'est pas valide ou a expiré. Il est peut-être incomplet : veuillez le copier de nouveau ou demander un nouveau message.",
  },
  busy: {
    heading: "Veuillez réessayer",
    sentence: "L'état ne peut pas être affiché pour le moment. Veuillez réessayer dans un instant.",
  },
};

const SPANISH: StatusTexts = {
  title: "¿Dónde está mi mensaje?",
  headings: {
    pending: "En camino",
    delivered: "Aceptado por su proveedor de correo",
    failed: "No entregado",
    unknown: "No lo sabemos",
    returned: "Devuelto",
  },
  sentences: {
    on_its_way: "Su proveedor de correo todavía no ha aceptado el mensaje.",
    scheduled: "El remitente ha programado el mensaje: su envío está previsto {at}.",
    provider_waits: "Su proveedor de correo no acepta el mensaje por el momento.",
    mailbox_full_waits:
      "Su proveedor de correo indica que su buzón está lleno y no acepta el mensaje por el momento. Por favor, libere espacio.",
    unreachable_waits:
      "Todavía no podemos entregar el mensaje, porque no es posible conectar correctamente con su proveedor de correo.",
    sender_waits: "El mensaje sigue pendiente de envío por parte del remitente.",
    perhaps_waits:
      "No sabemos si el mensaje ha llegado. Por favor, mire en su bandeja de entrada y en la carpeta de correo no deseado. Es posible que llegue dos veces.",
    delivered:
      "Su proveedor de correo aceptó el mensaje {at}. Si no lo encuentra, por favor, mire en la carpeta de correo no deseado.",
    delivered_assumed:
      "El remitente supone que el mensaje se entregó. No tenemos confirmación de su proveedor de correo. Por favor, mire también en la carpeta de correo no deseado.",
    no_such_address:
      "Según su proveedor de correo, la dirección {address} no existe o no acepta mensajes. Por favor, compruebe que esté bien escrita.",
    no_such_domain:
      "La parte que sigue a la @ en {address} no existe o no acepta mensajes. Por favor, compruebe que esté bien escrita.",
    mailbox_full:
      "Su proveedor de correo indica que su buzón está lleno y no aceptó el mensaje. Por favor, libere espacio y vuelva a solicitar el mensaje.",
    mailbox_disabled:
      "Su proveedor de correo indica que su buzón está desactivado y no aceptó el mensaje. Por favor, utilice otra dirección.",
    refused:
      "Su proveedor de correo no acepta el mensaje. Por favor, póngase en contacto con el remitente o utilice otra dirección de correo.",
    expired: "El mensaje no pudo entregarse a tiempo y no habrá más intentos. Por favor, solicite un mensaje nuevo.",
    blocked:
      "El mensaje no se envió, porque el remitente tiene bloqueados los mensajes a {address}. Por favor, póngase en contacto con el remitente.",
    cancelled: "El remitente canceló el mensaje antes de entregarlo a su proveedor.",
    fault:
      "Por un problema técnico del remitente, no habrá más intentos de entregar el mensaje. Por favor, solicite un mensaje nuevo.",
    failed_assumed:
      "El remitente supone que el mensaje no se entregó. No tenemos confirmación de su proveedor de correo.",
    not_delivered: "El mensaje no se entregó y no habrá más intentos. Por favor, solicite un mensaje nuevo.",
    unknown:
      "No sabemos si el mensaje ha llegado. Por favor, mire en su bandeja de entrada y en la carpeta de correo no deseado.",
    returned:
      "El mensaje fue devuelto al remitente {at} porque no se pudo entregar. Por favor, póngase en contacto con el remitente.",
    returned_no_such_address:
      "El mensaje fue devuelto al remitente {at}. Según el aviso, la dirección {address} no existe o no acepta mensajes. Por favor, compruebe que esté bien escrita.",
    returned_mailbox_full:
      "El mensaje fue devuelto al remitente {at}. Según el aviso, su buzón está lleno. Por favor, libere espacio y vuelva a solicitar el mensaje.",
    returned_mailbox_disabled:
      "El mensaje fue devuelto al remitente {at}. Según el aviso, su buzón está desactivado. Por favor, utilice otra dirección.",
  },
  at: { time: "a las {time}", date: "el {date} a las {time}" },
  next: "El próximo intento está previsto {at}.",
  test: "Era una prueba: no se envió ningún mensaje.",
  to: "Para",
  updated: "Último cambio {at}.",
  refreshes: "Esta página se actualiza automáticamente.",
  gone: {
    heading: "No se ha encontrado ningún estado",
    sentence:
      "Este enlace no es válido o ha caducado. Puede que esté incompleto: por favor, cópielo de nuevo o solicite un mensaje nuevo.",
  },
  busy: {
    heading: "Por favor, inténtelo de nuevo",
    sentence: "El estado no se puede mostrar en este momento. Por favor, inténtelo de nuevo dentro de un momento.",
  },
};

const ITALIAN: StatusTexts = {
  title: "Dov'è il mio messaggio?",
  headings: {
    pending: "In viaggio",
    delivered: "Accettato dal Suo provider di posta",
    failed: "Non consegnato",
    unknown: "Non lo sappiamo",
    returned: "Restituito al mittente",
  },
  sentences: {
    on_its_way: "Il Suo provider di posta non ha ancora accettato il messaggio.",
    scheduled: "Il mittente ha programmato il messaggio: l'invio è previsto {at}.",
    provider_waits: "Il Suo provider di posta per ora non accetta il messaggio.",
    mailbox_full_waits:
      "Il Suo provider di posta segnala che la Sua casella è piena e al momento non accetta il messaggio. La preghiamo di liberare spazio.",
    unreachable_waits:
      "Non possiamo ancora consegnare il messaggio, perché la connessione con il Suo provider di posta non funziona correttamente.",
    sender_waits: "Il messaggio è ancora in attesa presso il mittente.",
    perhaps_waits:
      "Non sappiamo se il messaggio sia arrivato. La preghiamo di controllare la posta in arrivo e la cartella dello spam. Potrebbe arrivare due volte.",
    delivered:
      "Il Suo provider di posta ha accettato il messaggio {at}. Se non lo trova, La preghiamo di controllare la cartella dello spam.",
    delivered_assumed:
      "Il mittente ritiene che il messaggio sia stato consegnato. Non abbiamo una conferma dal Suo provider di posta. La preghiamo di controllare anche la cartella dello spam.",
    no_such_address:
      "Secondo il Suo provider di posta, l'indirizzo {address} non esiste o non accetta messaggi. La preghiamo di verificare che sia scritto correttamente.",
    no_such_domain:
      "La parte dopo la @ in {address} non esiste o non accetta messaggi. La preghiamo di verificare che sia scritta correttamente.",
    mailbox_full:
      "Il Suo provider di posta segnala che la Sua casella è piena e non ha accettato il messaggio. La preghiamo di liberare spazio e di richiedere di nuovo il messaggio.",
    mailbox_disabled:
      "Il Suo provider di posta segnala che la Sua casella è disattivata e non ha accettato il messaggio. La preghiamo di usare un altro indirizzo.",
    refused:
      "Il Suo provider di posta non accetta il messaggio. La preghiamo di contattare il mittente o di usare un altro indirizzo e-mail.",
    expired:
      "Non è stato possibile consegnare il messaggio in tempo e non ci saranno altri tentativi. La preghiamo di richiedere un nuovo messaggio.",
    blocked:
      "Il messaggio non è stato inviato, perché il mittente ha bloccato i messaggi a {address}. La preghiamo di contattare il mittente.",
    cancelled: "Il mittente ha annullato il messaggio prima della consegna al Suo provider.",
    fault:
      "A causa di un problema tecnico del mittente non ci saranno altri tentativi di consegnare il messaggio. La preghiamo di richiedere un nuovo messaggio.",
    failed_assumed:
      "Il mittente ritiene che il messaggio non sia stato consegnato. Non abbiamo una conferma dal Suo provider di posta.",
    not_delivered:
      "Il messaggio non è stato consegnato e non ci saranno altri tentativi. La preghiamo di richiedere un nuovo messaggio.",
    unknown:
      "Non sappiamo se il messaggio sia arrivato. La preghiamo di controllare la posta in arrivo e la cartella dello spam.",
    returned:
      "Il messaggio è tornato al mittente {at} perché non recapitabile. La preghiamo di contattare il mittente.",
    returned_no_such_address:
      "Il messaggio è tornato al mittente {at}. Secondo l'avviso, l'indirizzo {address} non esiste o non accetta messaggi. La preghiamo di verificare che sia scritto correttamente.",
    returned_mailbox_full:
      "Il messaggio è tornato al mittente {at}. Secondo l'avviso, la Sua casella è piena. La preghiamo di liberare spazio e di richiedere di nuovo il messaggio.",
    returned_mailbox_disabled:
      "Il messaggio è tornato al mittente {at}. Secondo l'avviso, la Sua casella è disattivata. La preghiamo di usare un altro indirizzo.",
  },
  at: { time: "alle {time}", date: "in data {date} alle {time}" },
  next: "Il prossimo tentativo è previsto {at}.",
  test: "Era una prova: nessun messaggio è stato inviato.",
  to: "A",
  updated: "Ultima modifica {at}.",
  refreshes: "Questa pagina si aggiorna automaticamente.",
  gone: {
    heading: "Nessuno stato trovato",
    sentence:
      "Questo link non è valido o è scaduto. Forse è incompleto: La preghiamo di copiarlo di nuovo o di richiedere un nuovo messaggio.",
  },
  busy: {
    heading: "Riprovi più tardi",
    sentence: "Al momento non è possibile mostrare lo stato. La preghiamo di riprovare tra poco.",
  },
};

const DUTCH: StatusTexts = {
  title: "Waar is mijn bericht?",
  headings: {
    pending: "Onderweg",
    delivered: "Aangenomen door uw e-mailprovider",
    failed: "Niet bezorgd",
    unknown: "We weten het niet",
    returned: "Teruggekomen",
  },
  sentences: {
    on_its_way: "Uw e-mailprovider heeft het bericht nog niet aangenomen.",
    scheduled: "De afzender heeft het bericht ingepland: het moet {at} worden verzonden.",
    provider_waits: "Uw e-mailprovider neemt het bericht voorlopig niet aan.",
    mailbox_full_waits:
      "Uw e-mailprovider meldt dat uw mailbox vol is en neemt het bericht op dit moment niet aan. Maak ruimte vrij.",
    unreachable_waits: "We kunnen het bericht nog niet overdragen, omdat uw e-mailprovider niet goed bereikbaar is.",
    sender_waits: "Het bericht wacht nog bij de afzender.",
    perhaps_waits:
      "We weten niet of het bericht is aangekomen. Kijk in uw inbox en in uw spammap. Mogelijk komt het twee keer aan.",
    delivered: "Uw e-mailprovider heeft het bericht {at} aangenomen. Als u het niet ziet, kijk dan in uw spammap.",
    delivered_assumed:
      "De afzender gaat ervan uit dat het bericht is bezorgd. We hebben geen bevestiging van uw e-mailprovider. Kijk ook in uw spammap.",
    no_such_address:
      "Volgens uw e-mailprovider bestaat het adres {address} niet of neemt het geen berichten aan. Controleer de spelling.",
    no_such_domain: "Het deel na de @ in {address} bestaat niet of neemt geen berichten aan. Controleer de spelling.",
    mailbox_full:
      "Uw e-mailprovider meldt dat uw mailbox vol is en heeft het bericht niet aangenomen. Maak ruimte vrij en vraag het bericht daarna opnieuw aan.",
    mailbox_disabled:
      "Uw e-mailprovider meldt dat uw mailbox is uitgeschakeld en heeft het bericht niet aangenomen. Gebruik een ander adres.",
    refused:
      "Uw e-mailprovider neemt het bericht niet aan. Neem contact op met de afzender of gebruik een ander e-mailadres.",
    expired: "Het bericht kon niet op tijd worden bezorgd en er volgt geen nieuwe poging. Vraag een nieuw bericht aan.",
    blocked:
      "Het bericht is niet verzonden, omdat berichten aan {address} bij de afzender zijn geblokkeerd. Neem contact op met de afzender.",
    cancelled: "De afzender heeft het bericht geannuleerd voordat het werd overgedragen.",
    fault:
      "Door een storing bij de afzender volgt er geen nieuwe poging om het bericht te bezorgen. Vraag een nieuw bericht aan.",
    failed_assumed:
      "De afzender gaat ervan uit dat het bericht niet is bezorgd. We hebben geen bevestiging van uw e-mailprovider.",
    not_delivered: "Het bericht is niet bezorgd en er volgt geen nieuwe poging. Vraag een nieuw bericht aan.",
    unknown: "We weten niet of het bericht is aangekomen. Kijk in uw inbox en in uw spammap.",
    returned: "Het bericht is {at} als onbestelbaar teruggekomen bij de afzender. Neem contact op met de afzender.",
    returned_no_such_address:
      "Het bericht is {at} teruggekomen bij de afzender. Volgens de melding bestaat het adres {address} niet of neemt het geen berichten aan. Controleer de spelling.",
    returned_mailbox_full:
      "Het bericht is {at} teruggekomen bij de afzender. Volgens de melding is uw mailbox vol. Maak ruimte vrij en vraag het bericht daarna opnieuw aan.",
    returned_mailbox_disabled:
      "Het bericht is {at} teruggekomen bij de afzender. Volgens de melding is uw mailbox uitgeschakeld. Gebruik een ander adres.",
  },
  at: { time: "om {time}", date: "op {date} om {time}" },
  next: "De volgende poging staat {at} gepland.",
  test: "Dit was een test: er is geen bericht verzonden.",
  to: "Aan",
  updated: "Laatste wijziging {at}.",
  refreshes: "Deze pagina wordt automatisch bijgewerkt.",
  gone: {
    heading: "Geen status gevonden",
    sentence:
      "Deze link is ongeldig of verlopen. Misschien is hij onvolledig: kopieer hem opnieuw of vraag een nieuw bericht aan.",
  },
  busy: {
    heading: "Probeer het opnieuw",
    sentence: "De status kan nu niet worden getoond. Probeer het over een ogenblik opnieuw.",
  },
};

const PORTUGUESE: StatusTexts = {
  title: "Onde está a minha mensagem?",
  headings: {
    pending: "A caminho",
    delivered: "Aceite pelo seu serviço de e-mail",
    failed: "Não entregue",
    unknown: "Não sabemos",
    returned: "Devolvida",
  },
  sentences: {
    on_its_way: "O seu serviço de e-mail ainda não aceitou a mensagem.",
    scheduled: "O remetente agendou a mensagem: o envio está previsto para ocorrer {at}.",
    provider_waits: "O seu serviço de e-mail não aceita a mensagem por enquanto.",
    mailbox_full_waits:
      "O seu serviço de e-mail indica que a sua caixa de correio está cheia e não aceita a mensagem de momento. Por favor, liberte espaço.",
    unreachable_waits:
      "Ainda não podemos entregar a mensagem, porque não é possível contactar corretamente o seu serviço de e-mail.",
    sender_waits: "A mensagem ainda aguarda envio por parte do remetente.",
    perhaps_waits:
      "Não sabemos se a mensagem chegou. Por favor, procure na caixa de entrada e na pasta de spam. É possível que chegue duas vezes.",
    delivered:
      "O seu serviço de e-mail aceitou a mensagem {at}. Se não a encontrar, por favor, procure na pasta de spam.",
    delivered_assumed:
      "O remetente supõe que a mensagem foi entregue. Não temos confirmação do seu serviço de e-mail. Por favor, procure também na pasta de spam.",
    no_such_address:
      "Segundo o seu serviço de e-mail, o endereço {address} não existe ou não aceita mensagens. Por favor, verifique se está bem escrito.",
    no_such_domain:
      "A parte depois do @ em {address} não existe ou não aceita mensagens. Por favor, verifique se está bem escrita.",
    mailbox_full:
      "O seu serviço de e-mail indica que a sua caixa de correio está cheia e não aceitou a mensagem. Por favor, liberte espaço e volte a pedir a mensagem.",
    mailbox_disabled:
      "O seu serviço de e-mail indica que a sua caixa de correio está desativada e não aceitou a mensagem. Por favor, use outro endereço.",
    refused:
      "O seu serviço de e-mail não aceita a mensagem. Por favor, contacte o remetente ou use outro endereço de e-mail.",
    expired:
      "Não foi possível entregar a mensagem a tempo e não haverá mais tentativas. Por favor, peça uma nova mensagem.",
    blocked:
      "A mensagem não foi enviada, porque o remetente bloqueou as mensagens para {address}. Por favor, contacte o remetente.",
    cancelled: "O remetente cancelou a mensagem antes de ela ser entregue ao seu serviço de e-mail.",
    fault:
      "Devido a um problema técnico do remetente, não haverá mais tentativas de entregar a mensagem. Por favor, peça uma nova mensagem.",
    failed_assumed:
      "O remetente supõe que a mensagem não foi entregue. Não temos confirmação do seu serviço de e-mail.",
    not_delivered: "A mensagem não foi entregue e não haverá mais tentativas. Por favor, peça uma nova mensagem.",
    unknown: "Não sabemos se a mensagem chegou. Por favor, procure na caixa de entrada e na pasta de spam.",
    returned:
      "A mensagem foi devolvida ao remetente {at} por não ser possível entregá-la. Por favor, contacte o remetente.",
    returned_no_such_address:
      "A mensagem foi devolvida ao remetente {at}. Segundo o aviso, o endereço {address} não existe ou não aceita mensagens. Por favor, verifique se está bem escrito.",
    returned_mailbox_full:
      "A mensagem foi devolvida ao remetente {at}. Segundo o aviso, a sua caixa de correio está cheia. Por favor, liberte espaço e volte a pedir a mensagem.",
    returned_mailbox_disabled:
      "A mensagem foi devolvida ao remetente {at}. Segundo o aviso, a sua caixa de correio está desativada. Por favor, use outro endereço.",
  },
  at: { time: "às {time}", date: "em {date} às {time}" },
  next: "A próxima tentativa está prevista para ocorrer {at}.",
  test: "Tratou-se de um teste: nenhuma mensagem foi enviada.",
  to: "Para",
  updated: "Última alteração {at}.",
  refreshes: "Esta página atualiza-se automaticamente.",
  gone: {
    heading: "Nenhum estado encontrado",
    sentence:
      "Este link não é válido ou expirou. Talvez esteja incompleto: por favor, copie-o novamente ou peça uma nova mensagem.",
  },
  busy: {
    heading: "Por favor, tente novamente",
    sentence: "De momento não é possível mostrar o estado. Por favor, tente novamente dentro de momentos.",
  },
};

const POLISH: StatusTexts = {
  title: "Gdzie jest moja wiadomość?",
  headings: {
    pending: "W drodze",
    delivered: "Przyjęta przez dostawcę poczty",
    failed: "Nie dostarczono",
    unknown: "Nie wiemy",
    returned: "Zwrócona",
  },
  sentences: {
    on_its_way: "Dostawca poczty odbiorcy jeszcze nie przyjął wiadomości.",
    scheduled: "Nadawca zaplanował wysyłkę: wiadomość ma zostać wysłana {at}.",
    provider_waits: "Dostawca poczty odbiorcy na razie nie przyjmuje wiadomości.",
    mailbox_full_waits:
      "Dostawca poczty odbiorcy informuje, że skrzynka jest pełna, i na razie nie przyjmuje wiadomości. Prosimy zwolnić miejsce w skrzynce.",
    unreachable_waits:
      "Nie możemy jeszcze przekazać wiadomości, ponieważ połączenie z dostawcą poczty odbiorcy nie działa prawidłowo.",
    sender_waits: "Wiadomość nadal czeka po stronie nadawcy.",
    perhaps_waits:
      "Nie wiemy, czy wiadomość dotarła. Prosimy sprawdzić skrzynkę odbiorczą i folder ze spamem. Wiadomość może dotrzeć dwa razy.",
    delivered:
      "Dostawca poczty odbiorcy przyjął wiadomość {at}. Jeśli jej nie widać, prosimy sprawdzić folder ze spamem.",
    delivered_assumed:
      "Nadawca zakłada, że wiadomość została dostarczona. Nie mamy potwierdzenia od dostawcy poczty odbiorcy. Prosimy sprawdzić także folder ze spamem.",
    no_such_address:
      "Według dostawcy poczty adres {address} nie istnieje lub nie przyjmuje wiadomości. Prosimy sprawdzić pisownię.",
    no_such_domain:
      "Część po znaku @ w adresie {address} nie istnieje lub nie przyjmuje wiadomości. Prosimy sprawdzić pisownię.",
    mailbox_full:
      "Dostawca poczty odbiorcy informuje, że skrzynka jest pełna, i nie przyjął wiadomości. Prosimy zwolnić miejsce w skrzynce i poprosić o ponowne wysłanie wiadomości.",
    mailbox_disabled:
      "Dostawca poczty odbiorcy informuje, że skrzynka jest wyłączona, i nie przyjął wiadomości. Prosimy użyć innego adresu.",
    refused:
      "Dostawca poczty odbiorcy nie przyjmuje wiadomości. Prosimy skontaktować się z nadawcą lub użyć innego adresu e-mail.",
    expired:
      "Wiadomości nie udało się dostarczyć na czas i nie będzie kolejnej próby. Proszę zwrócić się o nową wiadomość.",
    blocked:
      "Wiadomość nie została wysłana, ponieważ wiadomości na adres {address} są zablokowane u nadawcy. Prosimy skontaktować się z nadawcą.",
    cancelled: "Nadawca anulował wiadomość, zanim została przekazana.",
    fault:
      "Z powodu błędu po stronie nadawcy nie będzie kolejnej próby dostarczenia wiadomości. Proszę zwrócić się o nową wiadomość.",
    failed_assumed:
      "Nadawca zakłada, że wiadomość nie została dostarczona. Nie mamy potwierdzenia od dostawcy poczty odbiorcy.",
    not_delivered:
      "Wiadomość nie została dostarczona i nie będzie kolejnej próby. Proszę zwrócić się o nową wiadomość.",
    unknown: "Nie wiemy, czy wiadomość dotarła. Prosimy sprawdzić skrzynkę odbiorczą i folder ze spamem.",
    returned: "Wiadomość wróciła do nadawcy {at} jako niedostarczona. Prosimy skontaktować się z nadawcą.",
    returned_no_such_address:
      "Wiadomość wróciła do nadawcy {at}. Według otrzymanego powiadomienia adres {address} nie istnieje lub nie przyjmuje wiadomości. Prosimy sprawdzić pisownię.",
    returned_mailbox_full:
      "Wiadomość wróciła do nadawcy {at}. Według otrzymanego powiadomienia skrzynka jest pełna. Prosimy zwolnić miejsce w skrzynce i poprosić o ponowne wysłanie wiadomości.",
    returned_mailbox_disabled:
      "Wiadomość wróciła do nadawcy {at}. Według otrzymanego powiadomienia skrzynka jest wyłączona. Prosimy użyć innego adresu.",
  },
  at: { time: "o godz. {time}", date: "{date} o godz. {time}" },
  next: "Następną próbę zaplanowano {at}.",
  test: "To był test: żadna wiadomość nie została wysłana.",
  to: "Do",
  updated: "Ostatnia zmiana {at}.",
  refreshes: "Ta strona odświeża się automatycznie.",
  gone: {
    heading: "Nie znaleziono statusu",
    sentence:
      "Ten link jest nieprawidłowy lub wygasł. Może jest niekompletny: prosimy skopiować go ponownie lub zwrócić się o nową wiadomość.",
  },
  busy: {
    heading: "Prosimy spróbować ponownie",
    sentence: "Nie można teraz wyświetlić statusu wiadomości. Prosimy spróbować ponownie za chwilę.",
  },
};

const JAPANESE: StatusTexts = {
  title: "メッセージの配信状況",
  headings: {
    pending: "配信中です",
    delivered: "メールサービスが受け付けました",
    failed: "配信できませんでした",
    unknown: "確認できません",
    returned: "返送されました",
  },
  sentences: {
    on_its_way: "ご利用のメールサービスは、まだメッセージを受け付けていません。",
    scheduled: "送信者がメッセージを予約しています。{at}送信される予定です。",
    provider_waits: "ご利用のメールサービスが、現在メッセージの受け付けを保留しています。",
    mailbox_full_waits:
      "ご利用のメールサービスによると、メールボックスがいっぱいのため、現在メッセージを受け付けられません。空き容量を増やしてください。",
    unreachable_waits: "ご利用のメールサービスに正常に接続できないため、まだメッセージを引き渡せていません。",
    sender_waits: "メッセージはまだ送信者側で待機しています。",
    perhaps_waits:
      "メッセージが届いたかどうか確認できません。受信トレイと迷惑メールフォルダをご確認ください。同じメッセージが2通届く場合があります。",
    delivered:
      "ご利用のメールサービスが{at}メッセージを受け付けました。見当たらない場合は、迷惑メールフォルダをご確認ください。",
    delivered_assumed:
      "送信者は、メッセージが配信されたものと判断しています。ご利用のメールサービスからの確認は得られていません。迷惑メールフォルダもご確認ください。",
    no_such_address:
      "ご利用のメールサービスによると、アドレス {address} は存在しないか、メッセージを受け付けていません。入力に誤りがないかご確認ください。",
    no_such_domain:
      "{address} の @ より後の部分は存在しないか、メッセージを受け付けていません。入力に誤りがないかご確認ください。",
    mailbox_full:
      "ご利用のメールサービスによると、メールボックスがいっぱいのため、メッセージは受け付けられませんでした。空き容量を増やしてから、メッセージの再送を依頼してください。",
    mailbox_disabled:
      "ご利用のメールサービスによると、メールボックスが無効になっているため、メッセージは受け付けられませんでした。別のアドレスをお使いください。",
    refused:
      "ご利用のメールサービスは、このメッセージを受け付けません。送信者にお問い合わせいただくか、別のメールアドレスをお使いください。",
    expired:
      "期限までにメッセージを配信できませんでした。再試行は行われません。新しいメッセージの送信を依頼してください。",
    blocked:
      "送信者側で {address} 宛てのメッセージが停止されているため、メッセージは送信されませんでした。送信者にお問い合わせください。",
    cancelled: "メッセージは引き渡される前に、送信者によって取り消されました。",
    fault: "送信者側の障害のため、メッセージの配信は再試行されません。新しいメッセージの送信を依頼してください。",
    failed_assumed:
      "送信者は、メッセージが配信されなかったものと判断しています。ご利用のメールサービスからの確認は得られていません。",
    not_delivered: "メッセージは配信されませんでした。再試行は行われません。新しいメッセージの送信を依頼してください。",
    unknown: "メッセージが届いたかどうか確認できません。受信トレイと迷惑メールフォルダをご確認ください。",
    returned: "メッセージは配信できず、{at}送信者に返送されました。送信者にお問い合わせください。",
    returned_no_such_address:
      "メッセージは{at}送信者に返送されました。通知によると、アドレス {address} は存在しないか、メッセージを受け付けていません。入力に誤りがないかご確認ください。",
    returned_mailbox_full:
      "メッセージは{at}送信者に返送されました。通知によると、メールボックスがいっぱいです。空き容量を増やしてから、メッセージの再送を依頼してください。",
    returned_mailbox_disabled:
      "メッセージは{at}送信者に返送されました。通知によると、メールボックスが無効になっています。別のアドレスをお使いください。",
  },
  at: { time: " {time} に", date: "{date} {time} に" },
  next: "次の配信は{at}再試行される予定です。",
  test: "これはテストです。メッセージは送信されていません。",
  to: "宛先",
  updated: "{at}更新されました。",
  refreshes: "このページは自動的に更新されます。",
  gone: {
    heading: "配信状況が見つかりません",
    sentence:
      "このリンクは無効か、有効期限が切れています。リンクが途中で切れている可能性があります。もう一度コピーするか、新しいメッセージの送信を依頼してください。",
  },
  busy: {
    heading: "もう一度お試しください",
    sentence: "現在、配信状況を表示できません。しばらくしてからもう一度お試しください。",
  },
};

export const STATUS_TEXTS: Readonly<Record<Language, StatusTexts>> = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
  it: ITALIAN,
  nl: DUTCH,
  pt: PORTUGUESE,
  pl: POLISH,
  ja: JAPANESE,
};
