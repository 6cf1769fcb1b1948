import jakarta.mail.Message;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/** Jakarta Mail, which Spring uses. */
class JakartaMail {
    public static void main(String[] args) throws Exception {
        Map<String, String> env = System.getenv();
        String protocol = env.get("SMTP_TLS").equals("tls") ? "smtps" : "smtp";
        Properties settings = new Properties();
        settings.put("mail." + protocol + ".auth", "true");
        settings.put("mail." + protocol + ".ssl.checkserveridentity", "true");
        settings.put("mail.smtp.starttls.enable", "true");
        settings.put("mail.smtp.starttls.required", "true");
        Session session = Session.getInstance(settings);

        MimeBodyPart text = new MimeBodyPart();
        text.setText(Files.readString(Path.of("text.txt")), "utf-8");
        MimeBodyPart html = new MimeBodyPart();
        html.setText(Files.readString(Path.of("page.html")), "utf-8", "html");
        MimeBodyPart both = new MimeBodyPart();
        both.setContent(new MimeMultipart("alternative", text, html));
        MimeBodyPart file = new MimeBodyPart();
        file.attachFile("data.dat");
        MimeMessage message = new MimeMessage(session);
        message.setFrom(new InternetAddress(env.get("SENDER"), "Läden & Co", "utf-8"));
        message.setRecipients(Message.RecipientType.TO, env.get("RECIPIENT"));
        message.setSubject(env.get("SUBJECT"), "utf-8");
        message.setContent(new MimeMultipart("mixed", both, file));
        message.saveChanges();

        try (Transport transport = session.getTransport(protocol)) {
            transport.connect(env.get("SMTP_HOST"), Integer.parseInt(env.get("SMTP_PORT")), "any", env.get("KEY"));
            transport.sendMessage(message, message.getAllRecipients());
        }
    }
}
