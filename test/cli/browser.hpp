// A headless Chromium, driven through its debugging pipe: opens a page, moves the pointer, presses keys, asks the page.
// Whatever it is asked, it is given up two minutes after it was started.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

namespace slideway::test {

class Browser {
 public:
  using Json = nlohmann::json;

  // works() tells whether a browser is installed and starts. It does not start one where SLIDEWAY_NEEDS_BROWSER is set: a test whose
  // browser does not start fails there anyhow.
  static bool works() {
    static const bool does = [] {
      if (command().empty()) return false;
      if (std::getenv("SLIDEWAY_NEEDS_BROWSER") != nullptr) return true;
      std::string directory = (std::filesystem::temp_directory_path() / "slideway-browser-XXXXXX").string();
      mkdtemp(directory.data());
      bool answered = true;
      try {
        Browser(directory).call("Browser.getVersion");
      } catch (const std::exception&) {
        answered = false;
      }
      std::error_code ignored;
      std::filesystem::remove_all(directory, ignored);
      return answered;
    }();
    return does;
  }

  // The command, "" if there is none.
  static std::string command() {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}) {
      const std::string look = "command -v " + std::string(name) + " > /dev/null 2>&1";
      if (std::system(look.c_str()) == 0) return name;
    }
    return "";
  }

  // `directory` holds its profile, and is its home.
  explicit Browser(const std::filesystem::path& directory, int width = 1200, int height = 900) {
    int to_browser[2];
    int from_browser[2];
    if (pipe(to_browser) != 0 || pipe(from_browser) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      setsid();
      // Away from 3 and 4 first: one of the ends may have these numbers.
      const int in = fcntl(to_browser[0], F_DUPFD, 10);
      const int out = fcntl(from_browser[1], F_DUPFD, 10);
      dup2(in, 3);
      dup2(out, 4);
      const int nowhere = open("/dev/null", O_RDWR);
      for (const int standard : {0, 1, 2}) dup2(nowhere, standard);
      for (int descriptor = 5; descriptor < 64; ++descriptor) close(descriptor);
      setenv("HOME", directory.c_str(), 1);
      const std::string name = command();
      const std::string profile = "--user-data-dir=" + (directory / "profile").string();
      const std::string size = "--window-size=" + std::to_string(width) + "," + std::to_string(height);
      execlp(name.c_str(), name.c_str(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--no-first-run",
             "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", profile.c_str(),
             size.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(to_browser[0]);
    close(from_browser[1]);
    to_ = to_browser[1];
    from_ = from_browser[0];
    width_ = width;
    height_ = height;
    // A browser that went away is told by an error, not by the end of this program.
    std::signal(SIGPIPE, SIG_IGN);
  }
  ~Browser() {
    try {
      session_.clear();
      call("Browser.close");
    } catch (const std::exception&) {
      // It has gone already.
    }
    close(to_);
    close(from_);
    // The browser is a group of processes of its own.
    for (int k = 0; k < 100 && waitpid(process_, nullptr, WNOHANG) == 0; ++k) {
      if (k == 20) kill(-process_, SIGTERM);
      if (k == 60) kill(-process_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open_page(const std::string& url) {
    // A new target for every page takes twice as long.
    if (session_.empty()) {
      const std::string target = call("Target.createTarget", {{"url", "about:blank"}}).at("targetId");
      session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}}).at("sessionId");
    } else {
      call("Page.navigate", {{"url", "about:blank"}});
      wait_for("location.href === 'about:blank' && document.readyState === 'complete'");
      call("Emulation.setEmulatedMedia", {{"features", Json::array()}});
    }
    call("Page.enable");
    call("Runtime.enable");
    call("Log.enable");
    call("Emulation.setDeviceMetricsOverride",
         {{"width", width_}, {"height", height_}, {"deviceScaleFactor", 1}, {"mobile", false}});
    call("Page.navigate", {{"url", url}});
    wait_for("location.href !== 'about:blank' && document.readyState === 'complete'");
  }

  // Whether the user likes "light" or "dark" pages; for the page that is open.
  void prefer(const std::string& scheme) {
    call("Emulation.setEmulatedMedia",
         {{"features", Json::array({{{"name", "prefers-color-scheme"}, {"value", scheme}}})}});
  }
  // Files that a page saves go there.
  void save_files_in(const std::filesystem::path& directory) {
    call("Page.setDownloadBehavior", {{"behavior", "allow"}, {"downloadPath", directory.string()}});
  }
  // A key of the keyboard, by the names of the web: "ArrowRight", "Escape", "Enter".
  void press(const std::string& key) {
    static const std::map<std::string, int> codes = {{"Enter", 13},    {"Escape", 27},    {"End", 35},
                                                     {"Home", 36},     {"ArrowLeft", 37}, {"ArrowRight", 39},
                                                     {"PageDown", 34}, {"Tab", 9}};
    Json event = {{"key", key}, {"code", key}, {"windowsVirtualKeyCode", codes.at(key)}};
    event["type"] = "keyDown";
    if (key == "Enter") event["text"] = "\r";
    call("Input.dispatchKeyEvent", event);
    event.erase("text");
    event["type"] = "keyUp";
    call("Input.dispatchKeyEvent", event);
  }

  // The value of a JavaScript expression in the page.
  Json ask(const std::string& expression) {
    const Json result = call("Runtime.evaluate",
                             {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
    if (result.contains("exceptionDetails")) complaints.push_back(result.at("exceptionDetails").dump());
    return result.at("result").value("value", Json());
  }

  void move_to(double x, double y) { mouse("mouseMoved", x, y, "none", 0); }
  void click(double x, double y) {
    move_to(x, y);
    mouse("mousePressed", x, y, "left", 1);
    mouse("mouseReleased", x, y, "left", 1);
  }
  void drag(double from_x, double to_x, double y) {
    move_to(from_x, y);
    mouse("mousePressed", from_x, y, "left", 1);
    for (int k = 1; k <= 5; ++k) mouse("mouseMoved", from_x + (to_x - from_x) * k / 5, y, "left", 0);
    mouse("mouseReleased", to_x, y, "left", 1);
  }
  // A PNG, in base 64.
  std::string screenshot() {
    return call("Page.captureScreenshot", {{"format", "png"}, {"captureBeyondViewport", true}}).at("data");
  }
  std::string print() { return call("Page.printToPDF", {{"printBackground", true}}).at("data"); }

  // Errors of the page's program, and what it could not load.
  std::vector<std::string> complaints = {};

 private:
  // Waits until a condition on the page is true.
  void wait_for(const std::string& condition) {
    while (ask(condition) != true) {
      if (left().count() <= 0) throw std::runtime_error("the page was not loaded within two minutes");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void mouse(const char* type, double x, double y, const char* button, int clicks) {
    const int buttons = std::string(button) == "left" && std::string(type) != "mouseReleased" ? 1 : 0;
    call("Input.dispatchMouseEvent", {{"type", type},
                                      {"x", x},
                                      {"y", y},
                                      {"button", button},
                                      {"buttons", buttons},
                                      {"clickCount", clicks}});
  }

  Json call(const std::string& method, Json parameters = Json::object()) {
    Json message = {{"id", ++last_}, {"method", method}, {"params", std::move(parameters)}};
    if (!session_.empty()) message["sessionId"] = session_;
    std::string text = message.dump();
    text += '\0';
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = write(to_, text.data() + sent, text.size() - sent);
      if (count <= 0) throw std::runtime_error("the browser went away");
      sent += static_cast<std::size_t>(count);
    }
    while (true) {
      const Json answer = Json::parse(receive());
      if (answer.value("method", "") == "Runtime.exceptionThrown" ||
          answer.value("method", "") == "Log.entryAdded")
        complaints.push_back(answer.at("params").dump());
      if (answer.value("id", 0) != last_) continue;
      if (answer.contains("error")) throw std::runtime_error(method + ": " + answer.at("error").dump());
      return answer.at("result");
    }
  }

  std::string receive() {
    while (true) {
      const auto end = received_.find('\0');
      if (end != std::string::npos) {
        const std::string message = received_.substr(0, end);
        received_.erase(0, end + 1);
        return message;
      }
      pollfd waiting{from_, POLLIN, 0};
      if (poll(&waiting, 1, static_cast<int>(left().count())) <= 0)
        throw std::runtime_error("the browser did not answer within two minutes of its start");
      char buffer[65536];
      const ssize_t count = read(from_, buffer, sizeof buffer);
      if (count <= 0) throw std::runtime_error("the browser went away");
      received_.append(buffer, static_cast<std::size_t>(count));
    }
  }

  std::chrono::milliseconds left() const {
    const auto now = std::chrono::steady_clock::now();
    return std::max(std::chrono::milliseconds(0),
                    std::chrono::duration_cast<std::chrono::milliseconds>(until_ - now));
  }

  std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  pid_t process_ = 0;
  int to_ = -1;
  int from_ = -1;
  int last_ = 0;
  int width_ = 0;
  int height_ = 0;
  std::string session_;
  std::string received_;
};

}  // namespace slideway::test
