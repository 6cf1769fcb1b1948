# The gem mail, which Rails uses.
require "mail"

Mail.defaults do
  delivery_method :smtp,
                  address: ENV.fetch("SMTP_HOST"), port: ENV.fetch("SMTP_PORT").to_i,
                  user_name: "any", password: ENV.fetch("KEY"), authentication: :plain,
                  enable_starttls: ENV.fetch("SMTP_TLS") == "starttls", tls: ENV.fetch("SMTP_TLS") == "tls"
end

Mail.deliver do
  charset = "UTF-8"
  from "Läden & Co <#{ENV.fetch("SENDER")}>"
  to ENV.fetch("RECIPIENT")
  subject ENV.fetch("SUBJECT")
  text_part do
    content_type "text/plain; charset=#{charset}"
    body File.read("text.txt")
  end
  html_part do
    content_type "text/html; charset=#{charset}"
    body File.read("page.html")
  end
  add_file filename: "Beleg für Sie.bin", content: File.binread("data.dat")
end
